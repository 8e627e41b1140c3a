import { Text } from '@mantine/core';
import type { ManagedModel } from '@renderkit/contract/studio/administration/models.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';

/**
 * Shows whether a model can be used, and why not. `studio/sql/functions/pause_reason.sql` decides why a model is
 * paused.
 */
export function ModelState({ model }: { model: ManagedModel }) {
  // A pause that no administrator asked for must be noticed.
  const stuck = model.state === 'paused' && !model.paused_by_administrator;
  return (
    <div style={{ minWidth: '7rem', maxWidth: '24rem' }}>
      <StatusBadge status={stuck ? 'down' : model.state} label={labels[model.state]} />
      {model.reason !== null && (
        <Text fz="xs" c="dimmed">
          {model.reason}
        </Text>
      )}
    </div>
  );
}

const labels = { offered: 'Offered', paused: 'Paused', draft: 'Draft', retired: 'Retired' } as const;
