import { Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ImportedModel } from '@renderkit/contract/studio/administration/models.ts';
import type { ManagedBackend } from '@renderkit/contract/studio/administration/backends.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { callConsole } from '../../../api/client.ts';
import { fieldError } from '../../../api/errors.ts';
import { consoleQuery } from '../../../api/queries.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { TextLink } from '../../../ui/TextLink.tsx';
import { ActProblem } from '../ActProblem.tsx';
import { ImportNotes } from './ImportNotes.tsx';
import { ParametersTable } from './ParametersTable.tsx';
import { invalidateModels } from './invalidate-models.ts';

/** File types for the file dialog: workflows, files that contain one, and manifests. */
export const importedTypes = '.json,.png,.webp,.mp4,.webm,.mkv,.yaml,.yml';

type ImportModalProps = {
  /** `undefined`: nothing is shown. */
  file: File | undefined;
  /** The model that gets a new version. `undefined`: the file's name, or the id that the person enters. */
  id?: string;
  onClose: () => void;
};

/**
 * Asks on which backends the file's model should be made, and creates a draft. Shows the problems when no draft is
 * possible. `studio/src/administration/import-model.ts` decides whether a draft is possible.
 */
export function ImportModal({ file, id, onClose }: ImportModalProps) {
  return (
    <Modal
      opened={file !== undefined}
      onClose={onClose}
      size="xl"
      title={`Import ${file?.name ?? ''}`}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {file !== undefined && (
        <ImportForm
          key={`${file.name} ${file.lastModified}`}
          file={file}
          {...(id !== undefined && { id })}
          onClose={onClose}
        />
      )}
    </Modal>
  );
}

function ImportForm({ file, id, onClose }: { file: File; id?: string; onClose: () => void }) {
  const backends = useQuery(consoleQuery('listBackends', {}));
  const isManifest = /\.ya?ml$/i.test(file.name);
  const places = placesOf(backends.data?.backends ?? []);
  const form = useForm({ mode: 'controlled', initialValues: { on: '', id: id ?? '', name: '' } });
  const on = form.values.on === '' ? places[0]?.value : form.values.on;
  const bring = useImport(file, { ...form.values, on: isManifest ? undefined : on }, onClose);
  const refused = bring.data;
  return (
    <form onSubmit={form.onSubmit(() => bring.mutate())} noValidate>
      <Stack gap="md">
        {!isManifest && backends.data !== undefined && places.length === 0 && <NoBackend />}
        <Group grow align="flex-start" preventGrowOverflow={false}>
          {!isManifest && (
            <Select
              label="Made on"
              description="The backend that it is checked against, or all with a label."
              data={places}
              value={on ?? null}
              onChange={(value) => form.setFieldValue('on', value ?? '')}
              allowDeselect={false}
              miw="14rem"
              error={fieldError(bring.error, 'on')}
            />
          )}
          <TextInput
            label="Id"
            description="Programs name the model by it."
            placeholder="By the file's name"
            maxLength={200}
            disabled={id !== undefined}
            miw="12rem"
            {...form.getInputProps('id')}
            error={fieldError(bring.error, 'id')}
          />
          {id === undefined && (
            <TextInput
              label="Name"
              description="What people read."
              placeholder="By its id"
              maxLength={200}
              miw="12rem"
              {...form.getInputProps('name')}
              error={fieldError(bring.error, 'name')}
            />
          )}
        </Group>
        {refused !== undefined && refused.version === null && <Refused imported={refused} />}
        <ActProblem error={bring.error} title="It was not imported" onRetry={() => bring.mutate()} />
        <Group justify="flex-end" gap="xs">
          <Text fz="xs" c="dimmed" mr="auto">
            It becomes a draft: nobody is offered it yet.
          </Text>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={bring.isPending} disabled={!isManifest && on === undefined}>
            {refused === undefined ? 'Import' : 'Import again'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type ImportWish = { on: string | undefined; id: string; name: string };

/** Uploads the file, and opens the draft if one was created. */
function useImport(file: File, { on, id, name }: ImportWish, onClose: () => void) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: () => {
      const query = {
        file_name: file.name,
        ...(on !== undefined && { on }),
        ...(id.trim() !== '' && { id: id.trim() }),
        ...(name.trim() !== '' && { name: name.trim() }),
      };
      return callConsole('importModel', { query }, { file });
    },
    meta: { inline: true },
    onSuccess: async (imported) => {
      if (imported.version === null) return;
      await invalidateModels(queryClient);
      onClose();
      await navigate({
        to: '/administration/models/$id',
        params: { id: imported.id },
        search: { version: imported.version },
      });
    },
  });
}

/** Returns the ComfyUI backends and their labels. */
function placesOf(backends: readonly ManagedBackend[]): { value: string; label: string }[] {
  const able = backends.filter(({ engine }) => engine === 'comfyui');
  const names = able.map(({ name }) => name);
  const labels = [...new Set(able.flatMap((backend) => backend.labels))].filter(
    (label) => !names.includes(label),
  );
  return [
    ...names.map((name) => ({ value: name, label: name })),
    ...labels.map((label) => ({ value: label, label: `every backend with the label ${label}` })),
  ];
}

function NoBackend() {
  return (
    <Notice tone="warning" title="There is no ComfyUI yet">
      A workflow is checked against the machine that is to make it. Add one on the page of{' '}
      <TextLink to="/administration/backends" underline="always">
        backends
      </TextLink>{' '}
      first.
    </Notice>
  );
}

/** Shows why no draft was created, and what was found in the file. */
function Refused({ imported }: { imported: ImportedModel }) {
  return (
    <Stack gap="sm">
      <ImportNotes problems={imported.problems} warnings={imported.warnings} />
      {imported.parameters.length > 0 && <ParametersTable parameters={imported.parameters} />}
    </Stack>
  );
}
