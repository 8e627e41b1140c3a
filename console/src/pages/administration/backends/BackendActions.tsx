import { ActionIcon, Menu, NumberInput, Text } from '@mantine/core';
import type { ManagedBackend } from '@renderkit/contract/studio/administration/backends.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { callConsole } from '../../../api/client.ts';
import { ConfirmModal } from '../../../ui/ConfirmModal.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { showToast } from '../../../ui/toasts.ts';
import { BackendModal } from './BackendModal.tsx';
import { CheckModal } from './CheckModal.tsx';

type Act = 'check' | 'change' | 'drain' | 'remove';

/** The menu with all actions of an administrator on a backend. */
export function BackendMenu({ backend, onRemoved }: { backend: ManagedBackend; onRemoved?: () => void }) {
  const [act, setAct] = useState<Act>();
  const close = () => setAct(undefined);
  const resume = useResume(backend.name);
  const isIn = backend.state !== 'draining' && backend.state !== 'off';
  return (
    <>
      <Menu position="bottom-end" width={220} shadow="md">
        <Menu.Target>
          <ActionIcon aria-label={`Actions for ${backend.name}`}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="refresh" />} onClick={() => setAct('check')}>
            Check
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="edit" />} onClick={() => setAct('change')}>
            Change
          </Menu.Item>
          {isIn ? (
            <Menu.Item leftSection={<Icon name="pause" />} onClick={() => setAct('drain')}>
              Drain
            </Menu.Item>
          ) : (
            <Menu.Item leftSection={<Icon name="play" />} onClick={() => resume.mutate()}>
              Resume
            </Menu.Item>
          )}
          {!backend.built_in && (
            <Menu.Item leftSection={<Icon name="trash" />} c="var(--rk-bad)" onClick={() => setAct('remove')}>
              Remove backend
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <CheckModal backend={backend} opened={act === 'check'} onClose={close} />
      <BackendModal
        backend={backend}
        opened={act === 'change'}
        onClose={close}
        onSaved={() => {
          close();
          showToast(`${backend.name} was changed.`);
        }}
      />
      <DrainBackend backend={backend} opened={act === 'drain'} onClose={close} />
      <RemoveBackend
        backend={backend}
        opened={act === 'remove'}
        onClose={close}
        {...(onRemoved && { onRemoved })}
      />
    </>
  );
}

function useResume(name: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => callConsole('resumeBackend', { params: { name } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['console'] });
      showToast(`${name} gets work again.`);
    },
  });
}

type ActProps = { backend: ManagedBackend; opened: boolean; onClose: () => void };

function DrainBackend({ backend: { name, in_use: running }, opened, onClose }: ActProps) {
  const queryClient = useQueryClient();
  const [minutes, setMinutes] = useState<number | string>('');
  const drain = useMutation({
    mutationFn: () =>
      callConsole('drainBackend', {
        params: { name },
        body: { within_seconds: typeof minutes === 'number' ? Math.round(minutes * 60) : null },
      }),
    meta: { inline: true },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['console'] });
      showToast(`${name} gets no more work.`);
      onClose();
    },
  });
  return (
    <ConfirmModal
      opened={opened}
      onClose={onClose}
      title={`Drain ${name}?`}
      action="Drain backend"
      onConfirm={() => drain.mutate()}
      pending={drain.isPending}
      error={drain.error}
      harmless
    >
      <Text fz="sm" mb="sm">
        It gets no more work, and is off once what runs there has ended
        {running === 0 ? '; nothing runs there now.' : `: ${running} now.`} A model that no other backend can
        make is paused meanwhile.
      </Text>
      <NumberInput
        label="Give what runs back after minutes"
        description="Empty: it may end. What is given back is made elsewhere, or here later; nobody pays twice."
        min={0}
        max={10_080}
        value={minutes}
        onChange={setMinutes}
      />
    </ConfirmModal>
  );
}

function RemoveBackend({
  backend: { name },
  opened,
  onClose,
  onRemoved,
}: ActProps & { onRemoved?: () => void }) {
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => callConsole('removeBackend', { params: { name } }),
    meta: { inline: true },
    onSuccess: async () => {
      onRemoved?.();
      await queryClient.invalidateQueries({ queryKey: ['console', 'listBackends'] });
      showToast(`${name} was removed.`);
      onClose();
    },
  });
  return (
    <ConfirmModal
      opened={opened}
      onClose={onClose}
      title={`Remove ${name}?`}
      action="Remove backend"
      onConfirm={() => remove.mutate()}
      pending={remove.isPending}
      error={remove.error}
    >
      <Text fz="sm">
        Its address, its secret and what was measured there go. What it made stays. While something runs there
        it cannot be removed: drain it first.
      </Text>
    </ConfirmModal>
  );
}
