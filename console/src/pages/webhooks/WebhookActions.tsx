import { ActionIcon, Button, Menu, Modal, Text } from '@mantine/core';
import type { UpdateWebhookRequest, Webhook } from '@renderkit/contract/console/schemas/webhook.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { callConsole } from '../../api/client.ts';
import { ConfirmModal } from '../../ui/ConfirmModal.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { showToast } from '../../ui/toasts.ts';
import { RecoverModal } from './RecoverModal.tsx';
import { WebhookForm } from './WebhookForm.tsx';

/**
 * Actions on an endpoint: a button pauses or resumes it; the menu edits it, resends failed deliveries, or deletes it.
 */
export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const queryClient = useQueryClient();
  const [open, setOpen] = useState<'edit' | 'recover' | 'delete'>();
  const close = () => setOpen(undefined);
  const paused = webhook.status === 'paused';
  const update = useMutation({
    mutationFn: (body: UpdateWebhookRequest) =>
      callConsole('updateWebhook', { params: { id: webhook.id }, body }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['console'] }),
  });
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name={paused ? 'play' : 'pause'} size={14} />}
        loading={update.isPending}
        onClick={() => update.mutate({ status: paused ? 'active' : 'paused' })}
      >
        {paused ? 'Resume' : 'Pause'}
      </Button>
      <Menu position="bottom-end" width={210} shadow="md">
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label="More actions">
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="edit" />} onClick={() => setOpen('edit')}>
            Edit endpoint
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="refresh" />} onClick={() => setOpen('recover')}>
            Resend what failed
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="trash" />} c="var(--rk-bad)" onClick={() => setOpen('delete')}>
            Delete endpoint
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <EditModal webhook={webhook} opened={open === 'edit'} onClose={close} />
      <RecoverModal webhook={webhook} opened={open === 'recover'} onClose={close} />
      <DeleteModal webhook={webhook} opened={open === 'delete'} onClose={close} />
    </>
  );
}

type ModalProps = { webhook: Webhook; opened: boolean; onClose: () => void };

function EditModal({ webhook, opened, onClose }: ModalProps) {
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: (body: UpdateWebhookRequest) =>
      callConsole('updateWebhook', { params: { id: webhook.id }, body }),
    meta: { inline: true },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['console'] });
      showToast('The endpoint was changed.');
      onClose();
    },
  });
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size="lg"
      title="Edit endpoint"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <WebhookForm
        initial={webhook}
        action="Save changes"
        refused="The endpoint was not changed"
        pending={save.isPending}
        error={save.error}
        // An unchanged address is not sent: the service would check it again, and DNS may fail.
        onSubmit={({ url, events }) => save.mutate({ events, ...(url !== webhook.url && { url }) })}
        onCancel={onClose}
      />
    </Modal>
  );
}

function DeleteModal({ webhook, opened, onClose }: ModalProps) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => callConsole('deleteWebhook', { params: { id: webhook.id } }),
    meta: { inline: true },
    onSuccess: async () => {
      await navigate({ to: '/webhooks' });
      queryClient.removeQueries({ queryKey: ['console', 'getWebhook'] });
      await queryClient.invalidateQueries({ queryKey: ['console'] });
      showToast('The endpoint was deleted.');
    },
  });
  return (
    <ConfirmModal
      opened={opened}
      onClose={onClose}
      title="Delete this endpoint?"
      action="Delete endpoint"
      onConfirm={() => remove.mutate()}
      pending={remove.isPending}
      error={remove.error}
    >
      <Text fz="sm" style={{ overflowWrap: 'anywhere' }}>
        <strong>{webhook.url}</strong> gets nothing any more
        {webhook.health.pending > 0 && `, and ${webhook.health.pending} deliveries that are due to it end`}.
        Its secret is gone for good.
      </Text>
    </ConfirmModal>
  );
}
