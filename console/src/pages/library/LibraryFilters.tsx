import { Checkbox, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { v1Query } from '../../api/queries.ts';
import { DateRange } from '../../ui/DateRange.tsx';
import { FilterBar, FilterSelect } from '../../ui/Filters.tsx';
import { SearchField } from '../../ui/SearchField.tsx';
import type { LibrarySearch } from './search.ts';

type LibraryFiltersProps = {
  search: LibrarySearch;
  onShow: (change: LibrarySearch, replace?: boolean) => void;
  /** `false` on the page of one project. */
  withProjects: boolean;
};

/** The most projects in the filter, newest first. */
const maxProjects = 100;

export function LibraryFilters({ search, onShow, withProjects }: LibraryFiltersProps) {
  return (
    <FilterBar>
      <SearchField
        label="Search by prompt"
        text={search.search ?? ''}
        onSearch={(text) => onShow({ search: text }, true)}
      />
      <SegmentedControl
        size="xs"
        aria-label="Type"
        data={[
          { value: '', label: 'All' },
          { value: 'image', label: 'Images' },
          { value: 'video', label: 'Videos' },
        ]}
        value={search.type ?? ''}
        onChange={(type) => onShow({ type: type === 'image' || type === 'video' ? type : undefined })}
      />
      {withProjects && <ProjectFilter id={search.project_id} onShow={onShow} />}
      <DateRange days={search} onChange={({ from, to }) => onShow({ from, to }, true)} />
      <Checkbox
        label="Favorites"
        size="sm"
        checked={search.favorites === 'true'}
        onChange={({ currentTarget }) => onShow({ favorites: currentTarget.checked ? 'true' : undefined })}
      />
    </FilterBar>
  );
}

function ProjectFilter({ id, onShow }: { id: string | undefined; onShow: (change: LibrarySearch) => void }) {
  const list = useQuery(v1Query('listProjects', { query: { limit: maxProjects } }));
  const projects = (list.data?.data ?? []).map((project) => ({ value: project.id, label: project.title }));
  if (id !== undefined && !projects.some(({ value }) => value === id))
    projects.push({ value: id, label: id });
  return (
    <FilterSelect
      label="Project"
      placeholder="Every project"
      width="12rem"
      options={projects}
      value={id}
      onChange={(chosen) => onShow({ project_id: chosen })}
      searchable
    />
  );
}
