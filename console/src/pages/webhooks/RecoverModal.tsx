import { Radio, Stack, Text, TextInput } from '@mantine/core';
import type { Webhook } from '@renderkit/contract/console/schemas/webhook.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { callConsole } from '../../api/client.ts';
import { formatCount } from '../../format/numbers.ts';
import { ConfirmModal } from '../../ui/ConfirmModal.tsx';
import { showToast } from '../../ui/toasts.ts';
import { recoverChoices, sinceOf } from './recover-since.ts';

type RecoverModalProps = { webhook: Webhook; opened: boolean; onClose: () => void };

/**
 * Sends all deliveries again that failed since a chosen time. `recoverDeliveries` in
 * `service/src/webhooks/deliveries/resend-delivery.ts` chooses the deliveries.
 */
export function RecoverModal({ webhook, opened, onClose }: RecoverModalProps) {
  const queryClient = useQueryClient();
  const [chosen, setChosen] = useState('day');
  const [custom, setCustom] = useState('');
  const since = sinceOf(chosen, custom, new Date());
  const recover = useMutation({
    mutationFn: (moment: string) =>
      callConsole('recoverDeliveries', { params: { id: webhook.id }, body: { since: moment } }),
    meta: { inline: true },
    onSuccess: async ({ resent }) => {
      await queryClient.invalidateQueries({ queryKey: ['console'] });
      showToast(
        resent === 0
          ? 'Nothing has failed since then.'
          : `${formatCount(resent, 'delivery', 'deliveries')} sent again.`,
      );
      onClose();
    },
  });
  return (
    <ConfirmModal
      opened={opened}
      onClose={onClose}
      title="Resend what failed"
      action="Resend deliveries"
      harmless
      onConfirm={() => since !== undefined && recover.mutate(since)}
      pending={recover.isPending}
      error={recover.error}
    >
      <Stack gap="sm">
        <Text fz="sm">
          Every delivery to this endpoint that was given up since then is sent once more, tests aside.
        </Text>
        <Radio.Group label="Since" value={chosen} onChange={setChosen}>
          <Stack gap={8} mt={6}>
            {recoverChoices.map(({ value, label }) => (
              <Radio key={value} value={value} label={label} />
            ))}
          </Stack>
        </Radio.Group>
        {chosen === 'custom' && (
          <TextInput
            type="datetime-local"
            label="Moment, in your time zone"
            value={custom}
            onChange={(event) => setCustom(event.currentTarget.value)}
            error={since === undefined ? 'Give a day and a time.' : undefined}
          />
        )}
      </Stack>
    </ConfirmModal>
  );
}
