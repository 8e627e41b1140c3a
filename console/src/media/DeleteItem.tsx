import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { callV1 } from '../api/client.ts';
import { ConfirmModal } from '../ui/ConfirmModal.tsx';
import { Icon } from '../ui/Icon.tsx';
import { showToast } from '../ui/toasts.ts';
import { type MediaItem, nameOfItem } from './media-item.ts';
import { readLibraryAgain } from './use-asset.ts';

/** Deletes an item of the library, after a confirmation. */
export function DeleteItem({ item, onDeleted }: { item: MediaItem; onDeleted: () => void }) {
  const [asking, setAsking] = useState(false);
  const queries = useQueryClient();
  const noun = item.type === 'image' ? 'image' : 'video';
  const remove = useMutation({
    meta: { inline: true },
    mutationFn: () => callV1('deleteAsset', { params: { type: item.pathType, id: item.id } }),
    onSuccess: async () => {
      setAsking(false);
      onDeleted();
      showToast(`The ${noun} was deleted.`);
      await readLibraryAgain(queries);
    },
  });
  return (
    <>
      <Button
        variant="default"
        c="var(--mantine-color-error)"
        leftSection={<Icon name="trash" size={14} />}
        onClick={() => setAsking(true)}
      >
        Delete
      </Button>
      <ConfirmModal
        opened={asking}
        onClose={() => setAsking(false)}
        title={`Delete this ${noun}?`}
        action={`Delete ${noun}`}
        onConfirm={() => remove.mutate()}
        pending={remove.isPending}
        error={remove.error}
      >
        <Text fz="sm">
          {nameOfItem(item)} is taken out of the library and cannot be brought back. The record of its
          generation stays, with a link that no longer leads anywhere.
        </Text>
      </ConfirmModal>
    </>
  );
}
