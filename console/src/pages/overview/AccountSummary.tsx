import { Progress, Text } from '@mantine/core';
import type { Balance } from '@renderkit/contract/v1/schemas/balance.ts';
import type { Limits } from '@renderkit/contract/v1/schemas/limits.ts';
import { formatCredits } from '../../format/numbers.ts';
import { Credits } from '../../ui/Credits.tsx';
import { Section } from '../../ui/Section.tsx';
import { Time } from '../../ui/Time.tsx';
import classes from './overview.module.css';

const unknown = 'The studio cannot be asked just now.';

type AccountSummaryProps = { balance: Balance | null; limits: Limits | null };

/** The account's credits, and its running generations with their limits. */
export function AccountSummary({ balance, limits }: AccountSummaryProps) {
  return (
    <div className={classes['summary']}>
      <CreditsSection balance={balance} />
      <QueuesSection limits={limits} />
    </div>
  );
}

function CreditsSection({ balance }: { balance: Balance | null }) {
  return (
    <Section title="Credits">
      {balance === null ? (
        <Text fz="sm" c="dimmed">
          {unknown}
        </Text>
      ) : (
        <>
          <div className={classes['balance']}>{formatCredits(balance.balance)}</div>
          <Text fz="xs" c="dimmed">
            can be spent now
          </Text>
          <Monthly balance={balance} />
          <dl className={classes['pairs']}>
            <div>
              <dt>Purchased</dt>
              <dd>
                <Credits amount={balance.lifetime} unit={false} />
              </dd>
            </div>
            <div>
              <dt>Next refill</dt>
              <dd>
                <Time at={balance.next_refill} none="None" />
              </dd>
            </div>
          </dl>
        </>
      )}
    </Section>
  );
}

function Monthly({ balance: { monthly, monthly_allowance: allowance } }: { balance: Balance }) {
  if (monthly === null) return null;
  const share = allowance === null || allowance === 0 ? 0 : Math.min(100, (monthly / allowance) * 100);
  return (
    <div className={classes['monthly']}>
      <div className={classes['between']}>
        <span>Monthly</span>
        <span>
          {formatCredits(monthly)}
          {allowance !== null && ` of ${formatCredits(allowance)}`}
        </span>
      </div>
      {allowance !== null && (
        <Progress value={share} size={5} mt={5} color="var(--rk-c1)" aria-label="Monthly credits left" />
      )}
    </div>
  );
}

/** The queues that have separate limits. */
const queues = [
  ['image', 'Images'],
  ['edit', 'Edits'],
  ['video', 'Videos'],
] as const;

function QueuesSection({ limits }: { limits: Limits | null }) {
  return (
    <Section title="Running and waiting">
      {limits === null ? (
        <Text fz="sm" c="dimmed">
          {unknown}
        </Text>
      ) : (
        <div className={classes['queues']}>
          {queues.map(([kind, name]) => (
            <Queue key={kind} name={name} limit={limits[kind]} queued={limits[kind].queued} />
          ))}
          <Queue name="All together" limit={limits.overall} />
        </div>
      )}
    </Section>
  );
}

type QueueProps = { name: string; limit: { limit: number; running: number }; queued?: number };

function Queue({ name, limit: { limit, running }, queued }: QueueProps) {
  const share = limit === 0 ? 0 : Math.min(100, (running / limit) * 100);
  return (
    <div>
      <div className={classes['between']}>
        <span>{name}</span>
        <span>
          {running} of {limit} running{queued !== undefined && `, ${queued} waiting`}
        </span>
      </div>
      <Progress
        value={share}
        size={5}
        mt={5}
        color={share >= 100 ? 'var(--rk-wait)' : 'var(--rk-run)'}
        aria-label={`${name}: share of what may run at once`}
      />
    </div>
  );
}
