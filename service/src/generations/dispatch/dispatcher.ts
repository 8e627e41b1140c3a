import type { Lane } from '@renderkit/contract/studio/schemas.ts';
import type { Database } from '@renderkit/server-kit/database.ts';
import type { Logger } from '@renderkit/server-kit/logger.ts';
import { startLoop } from '@renderkit/server-kit/loop.ts';
import type { LimitsReader } from './limits-reader.ts';
import { accountsToDispatch, type AccountState, type Claim, claimGenerations, renewLeases } from './store.ts';
import { createWakes } from './wakes.ts';

export type Dispatcher = AsyncDisposable & {
  /** Something may start for the account: a place came free, its limits or its queue changed. */
  wake: (accountId: string) => void;
  /** A generation was queued; heeded unless its lane was just seen to be full. */
  queued: (accountId: string, lane: Lane) => void;
  /** The account pauses: it is looked at again when the pause is over. */
  wakeAfter: (accountId: string, ms: number) => void;
};

export type DispatcherOptions = {
  database: Database;
  log: Logger;
  /** Names this process in leases. */
  owner: string;
  /** Sends a claim to the studio and records what came of it; ends early, leaving it to its lease, when stopping. */
  submit: (claim: Claim, stopping: AbortSignal) => Promise<void>;
  limits: LimitsReader;
  /** Default 10,000. */
  leaseMs?: number | undefined;
  /** Default 1,000. */
  sweepMs?: number | undefined;
  onStuck?: ((name: string) => void) | undefined;
  stuckAfterMs?: number | undefined;
};

export const defaultLeaseMs = 10_000;
/** Accounts claimed for in one statement, and such statements at once. */
const accountsPerClaim = 64;
const claimsInFlight = 2;
/** Claimed from one lane of an account at once; the limit stands in 005-claim.sql. */
const mostFromLane = 64;
/** Submits of this process at once, whatever the account. */
const submitsAtOnce = 64;
const accountsPerSweep = 500;
/** Limits that leave no room are read again after this long. */
export const limitsMaxAgeMs = 10_000;
const finishWithinMs = 8_000;

/**
 * Takes generations out of the queue as places come free and has them submitted. Woken at once within its process;
 * a sweep each second finds what was woken elsewhere, what waits out a pause, and what a dead process left claimed.
 */
export function startDispatcher(options: DispatcherOptions): Dispatcher {
  const { database, log, owner } = options;
  const leaseMs = options.leaseMs ?? defaultLeaseMs;
  const stopping = new AbortController();
  const submits = new Map<string, { work: Promise<void>; since: number }>();
  const queue: Claim[] = [];
  let running = 0;

  const startNext = () => {
    while (running < submitsAtOnce && !stopping.signal.aborted) {
      const claim = queue.shift();
      if (claim === undefined) return;
      running++;
      const work = options
        .submit(claim, stopping.signal)
        .catch((error: unknown) =>
          log.error({ generationId: claim.id, err: error }, 'a submit was left to its lease'),
        )
        .finally(() => {
          running--;
          submits.delete(claim.id);
          startNext();
        });
      submits.set(claim.id, { work, since: performance.now() });
    }
  };
  const claimFor = async (accountIds: string[], skipLocked: boolean) => {
    if (stopping.signal.aborted) return;
    const { claims, accounts } = await claimGenerations(database, { accountIds, owner, leaseMs, skipLocked });
    queue.push(...claims);
    startNext();
    for (const account of accounts) afterClaim(account, claims);
  };
  const wakes = createWakes({
    claim: (accountIds) => claimFor(accountIds, false),
    accountsPerClaim,
    claimsInFlight,
    log,
  });
  const afterClaim = (account: AccountState, claims: readonly Claim[]) => {
    const { accountId, free } = account;
    if (account.waitMs > 0) wakes.wakeAfter(accountId, account.waitMs);
    if (!account.connected || account.waitMs > 0) return;
    if (free === undefined) return options.limits.refresh(accountId);
    const mine = claims.filter((claim) => claim.accountId === accountId);
    const taken = (lane: Lane) => mine.filter((claim) => claim.lane === lane).length;
    const left = {
      overall: free.overall - mine.length,
      image: free.image - taken('image'),
      edit: free.edit - taken('edit'),
      video: free.video - taken('video'),
    };
    wakes.remember(accountId, left);
    if ((['image', 'edit', 'video'] as const).some((lane) => taken(lane) === mostFromLane))
      wakes.wake(accountId);
    if (Math.min(...Object.values(left)) <= 0 && (account.limitsAgeMs ?? 0) > limitsMaxAgeMs)
      options.limits.refresh(accountId);
  };

  const sweep = startLoop({
    name: 'dispatch sweep',
    everyMs: options.sweepMs ?? 1_000,
    log,
    onStuck: options.onStuck,
    stuckAfterMs: options.stuckAfterMs,
    run: async () => {
      wakes.forget();
      const found = await accountsToDispatch(database, { limitsMaxAgeMs, atMost: accountsPerSweep });
      const withRoom = found.filter((account) => account.has_room).map((account) => account.account_id);
      for (const account of found) if (!account.has_room) options.limits.refresh(account.account_id);
      for (let i = 0; i < withRoom.length; i += accountsPerClaim)
        await claimFor(withRoom.slice(i, i + accountsPerClaim), true);
    },
  });
  const renewal = startLoop({
    name: 'dispatch leases',
    everyMs: leaseMs / 4,
    log,
    onStuck: options.onStuck,
    stuckAfterMs: options.stuckAfterMs,
    run: async () => {
      const old = performance.now() - leaseMs / 5;
      const ids = [...submits].filter(([, { since }]) => since < old).map(([id]) => id);
      ids.push(...queue.map(({ id }) => id));
      if (ids.length > 0) await renewLeases(database, { ids, owner, leaseMs });
    },
  });

  return {
    wake: wakes.wake,
    queued: wakes.queued,
    wakeAfter: wakes.wakeAfter,
    [Symbol.asyncDispose]: async () => {
      stopping.abort(new Error('the dispatcher is stopping'));
      wakes.stop();
      await sweep[Symbol.asyncDispose]();
      let late: NodeJS.Timeout | undefined;
      const timeUp = new Promise((resolve) => {
        late = setTimeout(resolve, finishWithinMs);
      });
      await Promise.race([Promise.allSettled([...submits.values()].map(({ work }) => work)), timeUp]);
      clearTimeout(late);
      await renewal[Symbol.asyncDispose]();
    },
  };
}
