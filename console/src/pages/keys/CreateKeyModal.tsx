import { Alert, Button, Checkbox, Group, Modal, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { maxKeyLifetimeDays, maxKeyNameCharacters } from '@renderkit/contract/console/limits.ts';
import type { CreatedApiKey } from '@renderkit/contract/console/schemas/key.ts';
import { scopeDescriptions, scopes } from '@renderkit/contract/v1/scopes.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { callConsole } from '../../api/client.ts';
import { useSignedIn } from '../../session/use-signed-in.ts';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { Secret } from '../../ui/Secret.tsx';
import { BudgetInput, ConfirmInput, RateInput } from './LimitInputs.tsx';
import { defaultRateLimit, emptyKey, toRequest } from './key-form.ts';

/** The form of a new key. After that, shows the key itself once. */
export function CreateKeyModal({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [created, setCreated] = useState<CreatedApiKey>();
  const close = () => {
    onClose();
    setCreated(undefined);
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      size="lg"
      title={created === undefined ? 'Create API key' : `Save the key “${created.name}”`}
      closeOnClickOutside={created === undefined}
      closeOnEscape={created === undefined}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {created === undefined ? (
        <CreateKeyForm onCreated={setCreated} onCancel={close} />
      ) : (
        <NewKey created={created} onDone={close} />
      )}
    </Modal>
  );
}

type FormProps = { onCreated: (key: CreatedApiKey) => void; onCancel: () => void };

function CreateKeyForm({ onCreated, onCancel }: FormProps) {
  const queryClient = useQueryClient();
  const form = useForm({
    mode: 'controlled',
    initialValues: emptyKey,
    validate: {
      name: (name) => (name.trim() === '' ? 'Give the key a name that tells you where it is used.' : null),
      scopes: (chosen) => (chosen.length === 0 ? 'Choose at least one scope.' : null),
    },
  });
  const create = useMutation({
    mutationFn: () => callConsole('createKey', { body: toRequest(form.values) }),
    meta: { inline: true },
    onSuccess: (key) => {
      onCreated(key);
      return queryClient.invalidateQueries({ queryKey: ['console', 'listKeys'] });
    },
  });
  return (
    <form onSubmit={form.onSubmit(() => create.mutate())} noValidate>
      <Stack gap="md">
        <TextInput
          label="Name"
          placeholder="Production server"
          maxLength={maxKeyNameCharacters}
          data-autofocus
          withAsterisk
          {...form.getInputProps('name')}
        />
        <Checkbox.Group
          label="Scopes"
          description="What programs with this key may do."
          {...form.getInputProps('scopes')}
        >
          <Stack gap={8} mt={8}>
            {scopes.map((scope) => (
              <Checkbox key={scope} value={scope} label={scope} description={scopeDescriptions[scope]} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Group grow align="flex-start" preventGrowOverflow={false}>
          <NumberInput
            label="Lifetime in days"
            description="Empty: it does not expire."
            min={1}
            max={maxKeyLifetimeDays}
            allowDecimal={false}
            miw="9rem"
            {...form.getInputProps('days')}
          />
          <BudgetInput {...form.getInputProps('budget')} />
          <RateInput placeholder={String(defaultRateLimit)} {...form.getInputProps('rate')} />
        </Group>
        <ConfirmInput {...form.getInputProps('confirm')} />
        {create.error !== null && <ProblemAlert error={create.error} title="The key was not created" />}
        <Group justify="flex-end" gap="xs">
          <Text fz="xs" c="dimmed" mr="auto">
            The key is shown once, in the next step.
          </Text>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            Create key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The only place where a key can be read. */
function NewKey({ created, onDone }: { created: CreatedApiKey; onDone: () => void }) {
  const { base_url: base } = useSignedIn();
  return (
    <Stack gap="md">
      <Alert color="yellow" icon={<Icon name="warning" />}>
        <Text fz="sm" component="div" c="var(--mantine-color-text)">
          Copy the key now. Only a hash of it is kept: nobody can show it again.
        </Text>
      </Alert>
      <Group gap="xs" wrap="nowrap">
        <Secret label="API key" value={created.key} />
        <CopyButton value={created.key} label="Copy the key" withText />
      </Group>
      <CodeBlock
        label="Try it"
        wrap
        samples={[
          { name: 'curl', text: `curl ${base}/v1/account \\\n  -H "Authorization: Bearer ${created.key}"` },
        ]}
      />
      <Group justify="flex-end">
        <Button onClick={onDone}>I have saved the key</Button>
      </Group>
    </Stack>
  );
}
