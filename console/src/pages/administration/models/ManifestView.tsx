import { Button, Group, Stack, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ModelVersion } from '@renderkit/contract/studio/administration/models.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { callConsole } from '../../../api/client.ts';
import { CodeBlock } from '../../../ui/CodeBlock.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { showToast } from '../../../ui/toasts.ts';
import { ActProblem } from '../ActProblem.tsx';
import { ImportNotes } from './ImportNotes.tsx';
import { invalidateModels } from './invalidate-models.ts';

type ManifestViewProps = { id: string; version: ModelVersion };

/** Shows the files of a version, to read, copy and change. */
export function ManifestView({ id, version }: ManifestViewProps) {
  const [shown, show] = useDisclosure(false);
  const [editing, edit] = useDisclosure(false);
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Button
          variant="default"
          leftSection={<Icon name={shown ? 'down' : 'right'} size={14} />}
          aria-expanded={shown}
          onClick={show.toggle}
        >
          Manifest and workflow
        </Button>
        {shown && !editing && (
          <Button variant="default" leftSection={<Icon name="edit" size={14} />} onClick={edit.open}>
            Edit the manifest
          </Button>
        )}
      </Group>
      {shown && editing && <ManifestForm id={id} version={version} onDone={edit.close} />}
      {shown && !editing && (
        <CodeBlock
          label="Manifest"
          samples={[
            { name: 'Manifest', text: version.source },
            ...Object.entries(version.files).map(([name, text]) => ({ name, text })),
          ]}
        />
      )}
    </Stack>
  );
}

function ManifestForm({ id, version, onDone }: ManifestViewProps & { onDone: () => void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [source, setSource] = useState(version.source);
  const save = useMutation({
    mutationFn: () =>
      callConsole('editModel', { params: { id }, body: { base_version: version.version, source } }),
    meta: { inline: true },
    onSuccess: async (edited) => {
      if (edited.version === null) return;
      await invalidateModels(queryClient);
      showToast(`The changed manifest is version ${edited.version}.`);
      onDone();
      await navigate({
        to: '/administration/models/$id',
        params: { id },
        search: { version: edited.version },
      });
    },
  });
  const refused = save.data?.version === null ? save.data : undefined;
  return (
    <Stack gap="sm">
      <Textarea
        label="Manifest"
        description="Saving makes the next draft. The files beside it stay as they are."
        autosize
        minRows={12}
        maxRows={32}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.78rem' } }}
        value={source}
        onChange={(event) => setSource(event.currentTarget.value)}
      />
      {refused !== undefined && <ImportNotes problems={refused.problems} />}
      <ActProblem error={save.error} title="The manifest was not saved" onRetry={() => save.mutate()} />
      <Group gap="xs" justify="flex-end">
        <Button variant="default" onClick={onDone}>
          Cancel
        </Button>
        <Button loading={save.isPending} disabled={source === version.source} onClick={() => save.mutate()}>
          Save as a draft
        </Button>
      </Group>
    </Stack>
  );
}
