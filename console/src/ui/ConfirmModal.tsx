import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ProblemAlert } from './ProblemAlert.tsx';

type ConfirmModalProps = {
  opened: boolean;
  onClose: () => void;
  title: string;
  /** Text about what the action does, and what it stops. */
  children: ReactNode;
  /** Label of the button, named after the action: "Revoke key", never "OK". */
  action: string;
  onConfirm: () => void;
  pending?: boolean;
  error?: unknown;
  /** The button is not red, because the action does no harm. */
  harmless?: boolean;
};

/** Asks before an action that cannot be undone. */
export function ConfirmModal(props: ConfirmModalProps) {
  const {
    opened,
    onClose,
    title,
    children,
    action,
    onConfirm,
    pending = false,
    error,
    harmless = false,
  } = props;
  return (
    <Modal opened={opened} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="md">
        <div>{children}</div>
        {error !== undefined && error !== null && <ProblemAlert error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            {harmless ? 'Not now' : 'Keep'}
          </Button>
          <Button color={harmless ? undefined : 'red.8'} loading={pending} onClick={onConfirm}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
