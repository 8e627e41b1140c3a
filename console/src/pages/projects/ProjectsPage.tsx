import { Button } from '@mantine/core';
import type { Project } from '@renderkit/contract/v1/schemas/project.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { v1Query } from '../../api/queries.ts';
import { MediaView } from '../../media/MediaView.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { NoMatches } from '../../ui/Filters.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { ListSkeleton } from '../../ui/ListSkeleton.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { SearchField } from '../../ui/SearchField.tsx';
import { Time } from '../../ui/Time.tsx';
import { TitleModal } from './TitleModal.tsx';
import classes from './projects.module.css';
import { type ProjectsSearch, projectsSearch } from './search.ts';

const route = getRouteApi('/signed-in/projects');
const pageSize = 36;

/** All projects, each with its newest item. */
export function ProjectsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [creating, setCreating] = useState(false);
  const show = (change: ProjectsSearch, replace = false) =>
    void navigate({ search: projectsSearch({ ...search, page: undefined, ...change }), replace });
  const projects = useQuery(v1Query('listProjects', { query: { ...search, limit: pageSize } }));
  const list = projects.data;
  const create = (
    <Button leftSection={<Icon name="plus" size={14} />} onClick={() => setCreating(true)}>
      New project
    </Button>
  );
  return (
    <Page
      title="Projects"
      description="Folders for what is generated. A request names one, and the library moves items into them."
      actions={create}
    >
      <SearchField
        label="Search by title"
        text={search.search ?? ''}
        onSearch={(text) => show({ search: text }, true)}
      />
      {projects.error !== null && (
        <ProblemAlert error={projects.error} title="The projects could not be read" />
      )}
      {projects.isPending && <ListSkeleton />}
      {list?.data.length === 0 &&
        (search.search === undefined ? (
          <EmptyState icon="projects" title="No projects yet" action={create}>
            Make one for each thing that you work on, and choose it in the playground.
          </EmptyState>
        ) : (
          <NoMatches title="No project is called so" onClear={() => show({ search: undefined })}>
            Try another word of its title.
          </NoMatches>
        ))}
      {list !== undefined && list.data.length > 0 && (
        <>
          <ul className={classes['grid']} data-stale={projects.isPlaceholderData} aria-label="Projects">
            {list.data.map((project) => (
              <li key={project.id}>
                <Cover project={project} />
              </li>
            ))}
          </ul>
          <Pager page={list.page} hasMore={list.has_more} onPage={(page) => show({ page })} />
        </>
      )}
      <TitleModal
        opened={creating}
        onClose={() => setCreating(false)}
        onSaved={({ id }) => void navigate({ to: '/projects/$id', params: { id } })}
      />
    </Page>
  );
}

function Cover({ project }: { project: Project }) {
  const last = project.last_generation;
  return (
    <Link to="/projects/$id" params={{ id: project.id }} className={classes['cover']}>
      <span className={classes['picture']}>
        {last === null || last.url === null ? (
          <Icon name="projects" size={28} />
        ) : (
          <MediaView
            item={{
              id: project.id,
              type: last.type === 'video' ? 'video' : 'image',
              url: last.url,
              thumbUrl: last.thumb_url,
              width: null,
              height: null,
              duration: null,
              nsfw: last.nsfw,
              pathType: 'image',
            }}
            small
            fill
            inert
            alt=""
          />
        )}
      </span>
      <span className={classes['title']}>{project.title}</span>
      <span className={classes['when']}>
        {project.updated_at === null ? 'Empty' : <Time at={project.updated_at} relative />}
      </span>
    </Link>
  );
}
