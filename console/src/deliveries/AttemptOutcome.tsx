import { Group, Text } from '@mantine/core';
import type { DeliveryAttempt } from '@renderkit/contract/console/schemas/delivery.ts';
import { formatMilliseconds } from '../format/durations.ts';
import { StatusBadge } from '../ui/StatusBadge.tsx';
import { outcomeSentence } from './delivery-labels.ts';

/** The outcome of an attempt, or that it is in progress. */
export function AttemptOutcome({ attempt }: { attempt: DeliveryAttempt }) {
  const { status, failure, duration_ms: duration } = attempt;
  const state = attempt.ended_at === null ? 'running' : failure === null ? 'delivered' : 'failed';
  return (
    <Group gap="xs" wrap="wrap">
      <StatusBadge status={state} label={state === 'running' ? 'Under way' : undefined} />
      {state !== 'running' && (
        <Text fz="sm">
          {outcomeSentence(status, failure)}
          {duration !== null && ` ${formatMilliseconds(duration)}.`}
        </Text>
      )}
    </Group>
  );
}
