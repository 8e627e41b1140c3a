import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { maxWebhookUrlCharacters } from '@renderkit/contract/console/limits.ts';
import type { CreateWebhookRequest } from '@renderkit/contract/console/schemas/webhook.ts';
import { eventDescriptions, subscribableEventTypes } from '@renderkit/contract/v1/event-types.ts';
import { fieldError } from '../../api/errors.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { Prose } from '../../ui/Prose.tsx';

type WebhookFormProps = {
  initial: CreateWebhookRequest;
  /** The button that submits the form: "Add endpoint". */
  action: string;
  refused: string;
  pending: boolean;
  error: Error | null;
  onSubmit: (request: CreateWebhookRequest) => void;
  onCancel: () => void;
};

/** The address of an endpoint, and its events. `service/src/webhooks/endpoints/validate-endpoint.ts` validates both. */
export function WebhookForm({
  initial,
  action,
  refused,
  pending,
  error,
  onSubmit,
  onCancel,
}: WebhookFormProps) {
  const form = useForm<{ url: string; events: string[] }>({
    mode: 'controlled',
    initialValues: initial,
    validate: {
      // The service validates the address, because the operator may allow more than public addresses.
      url: (url) => (url.trim() === '' ? 'Give the address of your receiver.' : null),
    },
  });
  const submit = form.onSubmit(({ url, events }) =>
    onSubmit({ url: url.trim(), events: subscribableEventTypes.filter((type) => events.includes(type)) }),
  );
  const onUrl = form.getInputProps('url');
  const urlError = fieldError(error, 'url');
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label="Address"
          description="Public and https, or what the operator allows besides. Redirects are not followed."
          placeholder="https://example.com/webhooks/renderkit"
          maxLength={maxWebhookUrlCharacters}
          withAsterisk
          data-autofocus
          {...onUrl}
          error={onUrl.error ?? urlError}
          errorProps={{ role: 'alert' }}
        />
        <Checkbox.Group
          label="Events"
          description="Without any, only tests are sent."
          {...form.getInputProps('events')}
        >
          <Stack gap={8} mt={8}>
            {subscribableEventTypes.map((type) => (
              <Checkbox
                key={type}
                value={type}
                label={type}
                description={<Prose text={eventDescriptions[type]} />}
              />
            ))}
          </Stack>
        </Checkbox.Group>
        {error !== null && urlError === undefined && <ProblemAlert error={error} title={refused} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={pending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
