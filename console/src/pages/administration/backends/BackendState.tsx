import { Text } from '@mantine/core';
import type { ManagedBackend } from '@renderkit/contract/studio/administration/backends.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { Time } from '../../../ui/Time.tsx';

/** The state of a backend, since when, and why. */
export function BackendState({ backend }: { backend: ManagedBackend }) {
  return (
    <div style={{ maxWidth: '26rem' }}>
      <StatusBadge status={backend.state} />
      <Text fz="xs" c="dimmed">
        <Time at={backend.since} relative />
        {backend.reason !== null && ` · ${backend.reason}`}
      </Text>
    </div>
  );
}

/** Returns the used slots: `1 of 2`. A local engine shows only how many jobs run. */
export function slotsText({ in_use: used, slots }: Pick<ManagedBackend, 'in_use' | 'slots'>): string {
  return slots === null ? `${used}` : `${used} of ${slots}`;
}
