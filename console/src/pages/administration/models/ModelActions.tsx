import { ActionIcon, Button, FileButton, Menu, Text, Textarea } from '@mantine/core';
import type { ManagedModel } from '@renderkit/contract/studio/administration/models.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { callConsole } from '../../../api/client.ts';
import { ConfirmModal } from '../../../ui/ConfirmModal.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { showToast } from '../../../ui/toasts.ts';
import { importedTypes } from './ImportModal.tsx';
import { invalidateModels } from './invalidate-models.ts';

type ModelActionsProps = { model: ManagedModel; onFile: (file: File) => void };

/**
 * The actions of an administrator on a model, independent of its version. `studio/src/administration/models.ts` carries
 * out the actions.
 */
export function ModelActions({ model, onFile }: ModelActionsProps) {
  const [act, setAct] = useState<'pause' | 'retire'>();
  const close = () => setAct(undefined);
  const resume = useResume(model);
  const isPublished = model.published_version !== null && model.state !== 'retired';
  return (
    <>
      <FileButton accept={importedTypes} onChange={(file) => file !== null && onFile(file)}>
        {(button) => (
          <Button {...button} variant="default" leftSection={<Icon name="upload" size={14} />}>
            Import a version
          </Button>
        )}
      </FileButton>
      {model.state === 'draft' && (
        <Button variant="default" color="red" onClick={() => setAct('retire')}>
          Drop draft
        </Button>
      )}
      {isPublished && (
        <Menu position="bottom-end" width={210} shadow="md">
          <Menu.Target>
            <ActionIcon aria-label={`Actions for ${model.name}`}>
              <Icon name="more" />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {model.paused_by_administrator ? (
              <Menu.Item leftSection={<Icon name="play" />} onClick={() => resume.mutate()}>
                Resume
              </Menu.Item>
            ) : (
              <Menu.Item leftSection={<Icon name="pause" />} onClick={() => setAct('pause')}>
                Pause
              </Menu.Item>
            )}
            <Menu.Item leftSection={<Icon name="trash" />} c="var(--rk-bad)" onClick={() => setAct('retire')}>
              Retire model
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      <PauseModel model={model} opened={act === 'pause'} onClose={close} />
      <RetireModel model={model} opened={act === 'retire'} onClose={close} />
    </>
  );
}

function useResume({ id, name }: ManagedModel) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => callConsole('resumeModel', { params: { id } }),
    onSuccess: async () => {
      await invalidateModels(queryClient);
      showToast(`${name} can be used again.`);
    },
  });
}

type ActProps = { model: ManagedModel; opened: boolean; onClose: () => void };

function PauseModel({ model: { id, name }, opened, onClose }: ActProps) {
  const queryClient = useQueryClient();
  const [reason, setReason] = useState('');
  const pause = useMutation({
    mutationFn: () => callConsole('pauseModel', { params: { id }, body: { reason: reason.trim() } }),
    meta: { inline: true },
    onSuccess: async () => {
      await invalidateModels(queryClient);
      showToast(`${name} is paused.`);
      onClose();
    },
  });
  return (
    <ConfirmModal
      opened={opened}
      onClose={onClose}
      title={`Pause ${name}?`}
      action="Pause model"
      onConfirm={() => pause.mutate()}
      pending={pause.isPending}
      error={pause.error}
      harmless
    >
      <Text fz="sm" mb="sm">
        It stays in the list, and new generations of it are refused until somebody resumes it. What was
        accepted is made.
      </Text>
      <Textarea
        label="Reason"
        description="For other administrators. Users read only that it is paused."
        withAsterisk
        maxLength={500}
        autosize
        minRows={2}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </ConfirmModal>
  );
}

/** Retires a model. A draft that was never offered is deleted. */
function RetireModel({ model: { id, name, state }, opened, onClose }: ActProps) {
  const queryClient = useQueryClient();
  const isDraft = state === 'draft';
  const retire = useMutation({
    mutationFn: () => callConsole('retireModel', { params: { id } }),
    meta: { inline: true },
    onSuccess: async () => {
      await invalidateModels(queryClient);
      showToast(isDraft ? `${name} is dropped.` : `${name} is no longer offered.`);
      onClose();
    },
  });
  return (
    <ConfirmModal
      opened={opened}
      onClose={onClose}
      title={`${isDraft ? 'Drop' : 'Retire'} ${name}?`}
      action={isDraft ? 'Drop draft' : 'Retire model'}
      onConfirm={() => retire.mutate()}
      pending={retire.isPending}
      error={retire.error}
    >
      <Text fz="sm">
        {isDraft
          ? 'A sample that is being rendered ends. Its versions stay: import or change it, and it is a draft again.'
          : 'It goes from the list that users and programs see. What was accepted is made, and its versions stay: publish one, and it is back. A sample that is being rendered ends.'}
      </Text>
    </ConfirmModal>
  );
}
