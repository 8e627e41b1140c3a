import { Text } from '@mantine/core';
import type { ManifestProblem } from '@renderkit/contract/studio/administration/models.ts';
import { StatusBadge } from '../../ui/StatusBadge.tsx';

/**
 * Shows whether a route works on a backend, and what is missing there. `studio/src/backends/check-routes.ts` decides
 * whether a route fits.
 */
export function FitBadge({
  fits,
  problems,
}: {
  fits: boolean;
  problems: readonly Pick<ManifestProblem, 'message'>[];
}) {
  return (
    <div style={{ minWidth: '9rem' }}>
      <StatusBadge status={fits ? 'fits' : 'unfit'} label={fits ? 'Fits' : 'Does not fit'} />
      {problems.map(({ message }) => (
        <Text key={message} fz="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {message}
        </Text>
      ))}
    </div>
  );
}
