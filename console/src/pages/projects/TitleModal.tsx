import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import type { Project } from '@renderkit/contract/v1/schemas/project.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { callV1 } from '../../api/client.ts';
import { fieldError } from '../../api/errors.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';

type TitleModalProps = {
  opened: boolean;
  /** `undefined`: a new project is created. */
  project?: Project | undefined;
  onClose: () => void;
  onSaved: (project: Project) => void;
};

/** The rules for titles are in `contract/studio/project-title.ts`. */
const maxTitleCharacters = 50;

/** Asks for the title of a new project, or for a new title of a project. */
export function TitleModal({ opened, onClose, ...rest }: TitleModalProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={rest.project === undefined ? 'New project' : 'Rename the project'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <TitleForm {...rest} onClose={onClose} />
    </Modal>
  );
}

function TitleForm({ project, onClose, onSaved }: Omit<TitleModalProps, 'opened'>) {
  const [title, setTitle] = useState(project?.title ?? '');
  const queries = useQueryClient();
  const save = useMutation({
    meta: { inline: true },
    mutationFn: () => {
      const body = { title: title.trim() };
      return project === undefined
        ? callV1('createProject', { body })
        : callV1('updateProject', { params: { id: project.id }, body });
    },
    onSuccess: async (saved) => {
      await queries.invalidateQueries({ queryKey: ['v1', 'listProjects'] });
      await queries.invalidateQueries({ queryKey: ['v1', 'getProject'] });
      onSaved(saved);
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  const wrong = fieldError(save.error, 'title');
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label="Title"
          description="Letters, digits and spaces."
          maxLength={maxTitleCharacters}
          value={title}
          onChange={({ currentTarget }) => setTitle(currentTarget.value)}
          error={wrong}
          data-autofocus
        />
        {save.error !== null && wrong === undefined && <ProblemAlert error={save.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            {project === undefined ? 'Create project' : 'Rename'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
