import { Button, Skeleton, Text } from '@mantine/core';
import type { Project } from '@renderkit/contract/v1/schemas/project.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { callV1 } from '../../api/client.ts';
import { v1Query } from '../../api/queries.ts';
import { ButtonLink } from '../../ui/ButtonLink.tsx';
import { ConfirmModal } from '../../ui/ConfirmModal.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Page } from '../../ui/Page.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { showToast } from '../../ui/toasts.ts';
import { LibraryView } from '../library/LibraryView.tsx';
import { projectSearch } from '../library/search.ts';
import { TitleModal } from './TitleModal.tsx';

const route = getRouteApi('/signed-in/projects/$id');

/** One project: its items, its name, and its deletion. */
export function ProjectPage() {
  const { id } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const project = useQuery({
    ...v1Query('getProject', { params: { id } }),
    placeholderData: undefined,
  });
  const parent = { title: 'Projects', to: '/projects' } as const;
  if (project.data === undefined)
    return (
      <Page title="Project" parent={parent}>
        {project.error === null ? (
          <Skeleton h={240} aria-busy="true" aria-label="Loading" />
        ) : (
          <ProblemAlert
            error={project.error}
            title="The project could not be read"
            onRetry={() => void project.refetch()}
          />
        )}
      </Page>
    );
  return (
    <Page title={project.data.title} parent={parent} actions={<ProjectActions project={project.data} />}>
      <LibraryView
        search={search}
        project={id}
        onSearch={(next, replace) =>
          void navigate({
            search: projectSearch(next),
            replace,
            resetScroll: next.item === undefined && search.item === undefined,
          })
        }
        empty={<None />}
      />
    </Page>
  );
}

function ProjectActions({ project }: { project: Project }) {
  const [asking, setAsking] = useState<'title' | 'delete'>();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const close = () => setAsking(undefined);
  const remove = useMutation({
    meta: { inline: true },
    mutationFn: () => callV1('deleteProject', { params: { id: project.id } }),
    onSuccess: async () => {
      await navigate({ to: '/projects' });
      showToast('The project was deleted.');
      await queries.invalidateQueries({ queryKey: ['v1', 'listProjects'] });
      await queries.invalidateQueries({ queryKey: ['console', 'listLibraryItems'] });
    },
  });
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="edit" size={14} />}
        onClick={() => setAsking('title')}
      >
        Rename
      </Button>
      <Button
        variant="default"
        c="var(--mantine-color-error)"
        leftSection={<Icon name="trash" size={14} />}
        onClick={() => setAsking('delete')}
      >
        Delete
      </Button>
      <TitleModal
        opened={asking === 'title'}
        project={project}
        onClose={close}
        onSaved={() => showToast('The project was renamed.')}
      />
      <ConfirmModal
        opened={asking === 'delete'}
        onClose={close}
        title="Delete this project?"
        action="Delete project"
        onConfirm={() => remove.mutate()}
        pending={remove.isPending}
        error={remove.error}
      >
        <Text fz="sm">What is in it stays in the library, and what is being made comes there too.</Text>
      </ConfirmModal>
    </>
  );
}

function None() {
  return (
    <EmptyState
      icon="projects"
      title="Nothing is in this project"
      action={<ButtonLink to="/library">Open the library</ButtonLink>}
    >
      Choose items in the library and move them here, or name the project in a request.
    </EmptyState>
  );
}
