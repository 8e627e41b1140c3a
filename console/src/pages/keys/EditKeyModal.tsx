import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { maxKeyNameCharacters } from '@renderkit/contract/console/limits.ts';
import type { ApiKey } from '@renderkit/contract/console/schemas/key.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { callConsole } from '../../api/client.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { showToast } from '../../ui/toasts.ts';
import { BudgetInput, ConfirmInput, RateInput } from './LimitInputs.tsx';
import { changesOf, formOf } from './key-form.ts';

/** Changes the name and limits of a key. Its scopes cannot be changed. */
export function EditKeyModal({ apiKey, onClose }: { apiKey: ApiKey | undefined; onClose: () => void }) {
  return (
    <Modal
      opened={apiKey !== undefined}
      onClose={onClose}
      title={`Edit “${apiKey?.name ?? ''}”`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {apiKey !== undefined && <EditKeyForm key={apiKey.id} apiKey={apiKey} onClose={onClose} />}
    </Modal>
  );
}

function EditKeyForm({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const queryClient = useQueryClient();
  const form = useForm({
    mode: 'controlled',
    initialValues: formOf(apiKey),
    validate: {
      name: (name) => (name.trim() === '' ? 'Give the key a name that tells you where it is used.' : null),
      rate: (rate) => (rate === '' ? 'Say how many requests a minute are allowed.' : null),
    },
  });
  const save = useMutation({
    mutationFn: () =>
      callConsole('updateKey', { params: { id: apiKey.id }, body: changesOf(apiKey, form.values) }),
    meta: { inline: true },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['console', 'listKeys'] });
      showToast('The key was changed.');
      onClose();
    },
  });
  return (
    <form onSubmit={form.onSubmit(() => save.mutate())} noValidate>
      <Stack gap="md">
        <TextInput
          label="Name"
          maxLength={maxKeyNameCharacters}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <BudgetInput {...form.getInputProps('budget')} />
        <RateInput {...form.getInputProps('rate')} />
        <ConfirmInput {...form.getInputProps('confirm')} />
        {save.error !== null && <ProblemAlert error={save.error} title="The key was not changed" />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            Save changes
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
