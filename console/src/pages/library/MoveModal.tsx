import { Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { maxChosenItems } from '@renderkit/contract/console/limits.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { callConsole, callV1 } from '../../api/client.ts';
import { fieldError } from '../../api/errors.ts';
import { v1Query } from '../../api/queries.ts';
import { formatCount } from '../../format/numbers.ts';
import { readLibraryAgain } from '../../media/use-asset.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { showToast } from '../../ui/toasts.ts';

type MoveModalProps = {
  ids: readonly string[];
  opened: boolean;
  onClose: () => void;
  onMoved: () => void;
};

/** Special values among the project ids: no project, and a new project. */
const none = 'none';
const another = 'new';

/** A dialog to choose the project for items. The project may be new. */
export function MoveModal({ opened, onClose, ...rest }: MoveModalProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={`Move ${formatCount(rest.ids.length, 'item')}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <MoveForm {...rest} onClose={onClose} />
    </Modal>
  );
}

function MoveForm({ ids, onClose, onMoved }: Omit<MoveModalProps, 'opened'>) {
  const [chosen, setChosen] = useState<string | null>(null);
  const [title, setTitle] = useState('');
  const list = useQuery(v1Query('listProjects', { query: { limit: maxChosenItems } }));
  const move = useMove(ids, onMoved);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    move.mutate({ to: chosen, title: title.trim() });
  };
  const ready = chosen !== null && (chosen !== another || title.trim().length > 1);
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Select
          label="To"
          placeholder="Choose a project"
          data={[
            { value: another, label: 'A new project…' },
            ...(list.data?.data ?? []).map((project) => ({ value: project.id, label: project.title })),
            { value: none, label: 'No project' },
          ]}
          value={chosen}
          onChange={setChosen}
          searchable
          data-autofocus
        />
        {chosen === another && (
          <TextInput
            label="Its title"
            description="Letters, digits and spaces."
            maxLength={50}
            value={title}
            onChange={({ currentTarget }) => setTitle(currentTarget.value)}
            error={fieldError(move.error, 'title')}
          />
        )}
        {move.error !== null && fieldError(move.error, 'title') === undefined && (
          <ProblemAlert error={move.error} title="Nothing was moved" />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={!ready} loading={move.isPending}>
            Move
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Moves items to a project, to a new project with this title, or out of their project. */
function useMove(ids: readonly string[], onMoved: () => void) {
  const queries = useQueryClient();
  return useMutation({
    meta: { inline: true },
    mutationFn: async ({ to, title }: { to: string | null; title: string }) => {
      const made = to === another ? await callV1('createProject', { body: { title } }) : undefined;
      const project = made?.id ?? (to === none ? null : to);
      return callConsole('moveLibraryItems', { body: { ids: [...ids], project_id: project } });
    },
    onSuccess: async ({ moved }) => {
      onMoved();
      showToast(`${formatCount(moved.length, 'item')} moved.`);
      await Promise.all([
        readLibraryAgain(queries),
        queries.invalidateQueries({ queryKey: ['v1', 'listProjects'] }),
      ]);
    },
  });
}
