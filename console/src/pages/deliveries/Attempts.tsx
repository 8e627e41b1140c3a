import { Group, Text } from '@mantine/core';
import type { DeliveryAttempt } from '@renderkit/contract/console/schemas/delivery.ts';
import { AttemptOutcome } from '../../deliveries/AttemptOutcome.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Section } from '../../ui/Section.tsx';
import { Time } from '../../ui/Time.tsx';
import classes from './attempts.module.css';

/** All attempts with the receiver's responses, newest first. */
export function Attempts({ attempts }: { attempts: readonly DeliveryAttempt[] }) {
  return (
    <Section title="Attempts" card={false}>
      {attempts.length === 0 ? (
        <EmptyState icon="deliveries" title="None yet">
          The first one begins within a second, unless the endpoint is paused.
        </EmptyState>
      ) : (
        <ol className={classes['attempts']}>
          {attempts.map((attempt) => (
            <li key={`${attempt.number}-${attempt.started_at}`}>
              <Attempt attempt={attempt} />
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}

function Attempt({ attempt }: { attempt: DeliveryAttempt }) {
  const { number, answer } = attempt;
  return (
    <>
      <Group justify="space-between" gap="xs">
        <Text fz="sm" fw={560}>
          {number === null ? 'By hand' : `Attempt ${number}`}
        </Text>
        <Text fz="sm" c="dimmed" component="span">
          <Time at={attempt.started_at} />
        </Text>
      </Group>
      <AttemptOutcome attempt={attempt} />
      {answer !== null && answer !== '' && (
        <div className={classes['answer']}>
          <CodeBlock label="Answer" wrap maxHeight={12} samples={[{ name: 'Answer', text: answer }]} />
        </div>
      )}
    </>
  );
}
