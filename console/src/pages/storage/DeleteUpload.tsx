import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { UploadRow } from '@renderkit/contract/console/schemas/storage.ts';
import { callV1 } from '../../api/client.ts';
import { ConfirmModal } from '../../ui/ConfirmModal.tsx';
import { bytesText } from '../../format/numbers.ts';
import { tell } from '../../ui/toasts.ts';

/** Deletes an upload, once it has been asked whether. */
export function DeleteUpload({ row, onClose }: { row: UploadRow | undefined; onClose: () => void }) {
  const queries = useQueryClient();
  const remove = useMutation({
    meta: { inline: true },
    mutationFn: ({ upload }: UploadRow) => callV1('deleteUpload', { params: { id: upload.id } }),
    onSuccess: async (_, { upload }) => {
      close();
      tell(`${upload.file_name} was deleted.`);
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
      act="Delete upload"
      onConfirm={() => row !== undefined && remove.mutate(row)}
      pending={remove.isPending}
      error={remove.error}
    >
      {row !== undefined && (
        <Text fz="sm" style={{ overflowWrap: 'anywhere' }}>
          {row.upload.file_name} ({bytesText(row.upload.size_bytes)}) cannot be brought back. What was
          generated with it stays
          {row.uses.count > 0 && ', but those requests cannot be run again as they were'}.
        </Text>
      )}
    </ConfirmModal>
  );
}
