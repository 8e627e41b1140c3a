import { Checkbox, Group, SegmentedControl, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { v1Query } from '../../api/queries.ts';
import { FilterSelect } from '../../ui/Filters.tsx';
import { Icon } from '../../ui/Icon.tsx';
import type { LibrarySearch } from './search.ts';

type LibraryFiltersProps = {
  search: Omit<LibrarySearch, 'item'>;
  onShow: (change: LibrarySearch, replace?: boolean) => void;
};

/** The filter offers the newest projects only. */
const maxProjects = 100;
const debounceMs = 300;

export function LibraryFilters({ search, onShow }: LibraryFiltersProps) {
  const list = useQuery(v1Query('listProjects', { query: { limit: maxProjects } }));
  const projects = (list.data?.data ?? []).map(({ id, title }) => ({ value: id, label: title }));
  if (search.project_id !== undefined && !projects.some(({ value }) => value === search.project_id))
    projects.push({ value: search.project_id, label: search.project_id });
  return (
    <Group gap="xs" role="search" aria-label="Filters">
      <SearchField
        key={search.search ?? ''}
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
      <FilterSelect
        label="Project"
        placeholder="Every project"
        width="12rem"
        options={projects}
        value={search.project_id}
        onChange={(id) => onShow({ project_id: id })}
        searchable
      />
      <Checkbox
        label="Favorites"
        size="sm"
        checked={search.favorites === 'true'}
        onChange={({ currentTarget }) => onShow({ favorites: currentTarget.checked ? 'true' : undefined })}
      />
    </Group>
  );
}

/** The text goes into the address after a moment without typing. */
function SearchField({ text, onSearch }: { text: string; onSearch: (text: string | undefined) => void }) {
  const [typed, setTyped] = useState(text);
  const search = useDebouncedCallback((value: string) => onSearch(value.trim() || undefined), debounceMs);
  return (
    <TextInput
      size="xs"
      w="14rem"
      type="search"
      aria-label="Search by prompt"
      placeholder="Search by prompt"
      maxLength={100}
      leftSection={<Icon name="search" size={13} />}
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        search(value);
      }}
    />
  );
}
