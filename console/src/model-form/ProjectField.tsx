import { Button, Group, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { callV1 } from '../api/client.ts';
import { fieldError, sentenceOf } from '../api/errors.ts';
import { v1Query } from '../api/queries.ts';
import type { FormControl } from './use-form.ts';

/** How many projects the list shows. Others are found by search. */
const shown = 50;

/** The project for the outputs. */
export function ProjectField({ form }: { form: FormControl }) {
  const [typed, setTyped] = useState('');
  const [creating, setCreating] = useState(false);
  const [search] = useDebouncedValue(typed.trim(), 300);
  const chosen = form.values.project_id;
  const list = useQuery(
    v1Query('listProjects', {
      query: { limit: shown, ...(search !== '' && { search: search.slice(0, 100) }) },
    }),
  );
  const one = useQuery({
    ...v1Query('getProject', { params: { id: chosen ?? '' } }),
    enabled: chosen !== undefined,
    retry: false,
  });
  const titles = new Map(list.data?.data.map(({ id, title }) => [id, title]));
  if (chosen !== undefined && !titles.has(chosen)) titles.set(chosen, one.data?.title ?? chosen);
  if (creating)
    return (
      <NewProject
        onDone={(id) => {
          setCreating(false);
          if (id !== undefined) form.set('project_id', id);
        }}
      />
    );
  return (
    <Group align="end" gap="xs" wrap="nowrap" data-field="project_id">
      <Select
        flex={1}
        label="Project"
        placeholder="API (the default)"
        data={[...titles].map(([value, label]) => ({ value, label }))}
        value={chosen ?? null}
        onChange={(id) => form.set('project_id', id ?? undefined)}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Use the default project' }}
        onSearchChange={setTyped}
        filter={({ options }) => options}
        nothingFoundMessage="No project is called so."
        error={form.errorOf('project_id')}
      />
      <Button variant="default" size="sm" onClick={() => setCreating(true)}>
        New
      </Button>
    </Group>
  );
}

function NewProject({ onDone }: { onDone: (id?: string) => void }) {
  const [title, setTitle] = useState('');
  const queries = useQueryClient();
  const create = useMutation({
    meta: { inline: true },
    mutationFn: () => callV1('createProject', { body: title.trim() === '' ? {} : { title: title.trim() } }),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['v1', 'listProjects'] });
      onDone(id);
    },
  });
  const { error } = create;
  return (
    <Group align="start" gap="xs" wrap="nowrap">
      <TextInput
        flex={1}
        label="New project"
        description="Letters, digits and spaces."
        value={title}
        maxLength={50}
        autoFocus
        onChange={({ currentTarget }) => setTitle(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          // A second press, or a key that is held down, must not create a second project.
          if (!event.repeat && !create.isPending) create.mutate();
        }}
        error={error === null ? undefined : (fieldError(error, 'title') ?? sentenceOf(error))}
      />
      <Group gap={6} wrap="nowrap" mt={44}>
        <Button size="sm" loading={create.isPending} onClick={() => create.mutate()}>
          Create
        </Button>
        <Button size="sm" variant="default" onClick={() => onDone()}>
          Cancel
        </Button>
      </Group>
    </Group>
  );
}
