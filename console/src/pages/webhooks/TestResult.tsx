import { Group, Loader, Stack, Text } from '@mantine/core';
import type { DeliveryDetail } from '@renderkit/contract/console/schemas/delivery.ts';
import { useQuery } from '@tanstack/react-query';
import { consoleQuery } from '../../api/queries.ts';
import { AttemptOutcome } from '../../deliveries/AttemptOutcome.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { Section } from '../../ui/Section.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import { Time } from '../../ui/Time.tsx';

const askEveryMs = 1_000;

/**
 * Reads a test delivery until its first attempt has ended and the next step is known. Shows the receiver's response.
 */
export function TestResult({ deliveryId }: { deliveryId: string }) {
  const delivery = useQuery({
    ...consoleQuery('getDelivery', { params: { id: deliveryId } }),
    refetchInterval: ({ state }) => (hasEnded(state.data) ? false : askEveryMs),
  });
  const attempt = delivery.data?.attempts_made.find((one) => one.ended_at !== null);
  return (
    <Section
      title="Test"
      actions={
        <TextLink to="/deliveries/$id" params={{ id: deliveryId }}>
          See the delivery
        </TextLink>
      }
    >
      <div aria-live="polite">
        {delivery.error !== null && <ProblemAlert error={delivery.error} />}
        {attempt === undefined ? (
          <Group gap="xs">
            <Loader size={14} />
            <Text fz="sm">Waiting for the receiver's answer, for 10 seconds at most…</Text>
          </Group>
        ) : (
          <Stack gap="sm">
            <AttemptOutcome attempt={attempt} />
            {delivery.data?.status === 'pending' && <Retry at={delivery.data.next_attempt_at} />}
            {attempt.answer !== null && attempt.answer !== '' && (
              <CodeBlock
                label="Answer"
                wrap
                maxHeight={10}
                samples={[{ name: 'Answer', text: attempt.answer }]}
              />
            )}
          </Stack>
        )}
      </div>
    </Section>
  );
}

/**
 * `at` is the time of the next attempt. `null` while the attempt is in progress.
 * `service/src/webhooks/retry-schedule.ts` decides the time.
 */
function Retry({ at }: { at: string | null }) {
  return (
    <Text fz="sm" c="dimmed" component="div">
      Like any delivery it is tried again{at !== null && ', next '}
      {at !== null && <Time at={at} />}. A test that fails does not mark the endpoint as failing.
    </Text>
  );
}

type TestedDelivery = Pick<DeliveryDetail, 'status' | 'next_attempt_at' | 'attempts_made'>;

/**
 * Returns whether an attempt has ended and the next step is known. The service reads the delivery before its attempts,
 * so an attempt may have ended in between.
 */
function hasEnded(delivery: TestedDelivery | undefined): boolean {
  if (delivery === undefined || (delivery.status === 'pending' && delivery.next_attempt_at === null))
    return false;
  return delivery.attempts_made.some((one) => one.ended_at !== null);
}
