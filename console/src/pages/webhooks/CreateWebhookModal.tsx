import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { CreatedWebhook, CreateWebhookRequest } from '@renderkit/contract/console/schemas/webhook.ts';
import { subscribableEventTypes } from '@renderkit/contract/v1/event-types.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { callConsole } from '../../api/client.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Secret } from '../../ui/Secret.tsx';
import { WebhookForm } from './WebhookForm.tsx';

/** The form of a new endpoint. After that, shows its signing secret and a link to its page. */
export function CreateWebhookModal({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const queryClient = useQueryClient();
  const [created, setCreated] = useState<CreatedWebhook>();
  const create = useMutation({
    mutationFn: (body: CreateWebhookRequest) => callConsole('createWebhook', { body }),
    meta: { inline: true },
    onSuccess: (webhook) => {
      setCreated(webhook);
      return queryClient.invalidateQueries({ queryKey: ['console', 'listWebhooks'] });
    },
  });
  const close = () => {
    onClose();
    setCreated(undefined);
    create.reset();
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      size="lg"
      title={created === undefined ? 'Add a webhook endpoint' : 'Endpoint added'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {created === undefined ? (
        <WebhookForm
          initial={{ url: '', events: [...subscribableEventTypes] }}
          action="Add endpoint"
          refused="The endpoint was not added"
          pending={create.isPending}
          error={create.error}
          onSubmit={(body) => create.mutate(body)}
          onCancel={close}
        />
      ) : (
        <Added created={created} onClose={close} />
      )}
    </Modal>
  );
}

function Added({ created, onClose }: { created: CreatedWebhook; onClose: () => void }) {
  const navigate = useNavigate();
  const goOn = async () => {
    onClose();
    await navigate({ to: '/webhooks/$id', params: { id: created.id } });
  };
  return (
    <Stack gap="md">
      <Text fz="sm">
        Deliveries to <code>{created.url}</code> are signed with this secret. Your receiver checks the
        signature with it; it can be revealed again later.
      </Text>
      <Group gap="xs" wrap="nowrap">
        <Secret label="Signing secret" value={created.secret} />
        <CopyButton value={created.secret} label="Copy the signing secret" withText />
      </Group>
      <Group justify="flex-end">
        <Button onClick={() => void goOn()}>Go to the endpoint</Button>
      </Group>
    </Stack>
  );
}
