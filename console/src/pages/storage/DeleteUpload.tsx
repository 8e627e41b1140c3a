import { Text } from '@mantine/core';
import type { UploadRow } from '@renderkit/contract/console/schemas/storage.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { callV1 } from '../../api/client.ts';
import { formatBytes } from '../../format/numbers.ts';
import { ConfirmModal } from '../../ui/ConfirmModal.tsx';
import { showToast } from '../../ui/toasts.ts';

/** Deletes an upload, after a confirmation. */
export function DeleteUpload({ row, onClose }: { row: UploadRow | undefined; onClose: () => void }) {
  const queries = useQueryClient();
  const remove = useMutation({
    meta: { inline: true },
    mutationFn: ({ upload }: UploadRow) => callV1('deleteUpload', { params: { id: upload.id } }),
    onSuccess: async (_, { upload }) => {
      close();
      showToast(`${upload.file_name} was deleted.`);
      await Promise.all(
        ['listUploadRows', 'getStorageDetail'].map((id) =>
          queries.invalidateQueries({ queryKey: ['console', id] }),
        ),
      );
    },
  });
  const close = () => {
    onClose();
    remove.reset();
  };
  return (
    <ConfirmModal
      opened={row !== undefined}
      onClose={close}
      title="Delete this upload?"
      action="Delete upload"
      onConfirm={() => row !== undefined && remove.mutate(row)}
      pending={remove.isPending}
      error={remove.error}
    >
      {row !== undefined && (
        <Text fz="sm" style={{ overflowWrap: 'anywhere' }}>
          {row.upload.file_name} ({formatBytes(row.upload.size_bytes)}) cannot be brought back. What was
          generated with it stays
          {row.uses.count > 0 && ', but those requests cannot be run again as they were'}.
        </Text>
      )}
    </ConfirmModal>
  );
}
