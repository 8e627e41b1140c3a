import { Checkbox, Stack, Text } from '@mantine/core';
import type { ApiKey } from '@renderkit/contract/console/schemas/key.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { callConsole } from '../../api/client.ts';
import { formatCount } from '../../format/numbers.ts';
import { ConfirmModal } from '../../ui/ConfirmModal.tsx';
import { showToast } from '../../ui/toasts.ts';

/**
 * Revokes a key after a confirmation. Offers to cancel the key's queued generations. `cancelQueuedOfKey` in
 * `service/src/generations/cancel/cancel-queued.ts` cancels these generations.
 */
export function RevokeKeyModal({ apiKey, onClose }: { apiKey: ApiKey | undefined; onClose: () => void }) {
  const queryClient = useQueryClient();
  const [cancelQueued, setCancelQueued] = useState(false);
  const revoke = useMutation({
    mutationFn: (id: string) =>
      callConsole('revokeKey', { params: { id }, query: { cancel_queued: cancelQueued } }),
    meta: { inline: true },
    onSuccess: async ({ name, canceled }) => {
      await queryClient.invalidateQueries({ queryKey: ['console'] });
      showToast(
        `“${name}” was revoked${canceled > 0 ? ` and ${formatCount(canceled, 'generation')} canceled` : ''}.`,
      );
      close();
    },
  });
  const close = () => {
    onClose();
    setCancelQueued(false);
    revoke.reset();
  };
  return (
    <ConfirmModal
      opened={apiKey !== undefined}
      onClose={close}
      title={`Revoke “${apiKey?.name ?? ''}”?`}
      action="Revoke key"
      onConfirm={() => apiKey !== undefined && revoke.mutate(apiKey.id)}
      pending={revoke.isPending}
      error={revoke.error}
    >
      <Stack gap="sm">
        <Text fz="sm">
          Every request with <code>{apiKey?.prefix}…</code> is refused from this moment, on every server. It
          cannot be taken back; programs that use it need another key.
        </Text>
        {apiKey !== undefined && apiKey.queued > 0 && (
          <Checkbox
            checked={cancelQueued}
            onChange={(event) => setCancelQueued(event.currentTarget.checked)}
            label={`Cancel its ${formatCount(apiKey.queued, 'queued generation')} too`}
            description="Otherwise they still run and are paid for. What runs already is finished in either case."
          />
        )}
      </Stack>
    </ConfirmModal>
  );
}
