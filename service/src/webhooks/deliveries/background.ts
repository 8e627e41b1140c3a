import { createEgress } from '@renderkit/egress/guarded-fetch.ts';
import type { Cidr } from '@renderkit/egress/public-address.ts';
import type { NameResolver } from '@renderkit/egress/resolve-name.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createNotifier, listen } from '@renderkit/server-kit/db/notify.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { startLeaseQueue } from '@renderkit/server-kit/work/lease-queue.ts';
import { createMutex } from '@renderkit/server-kit/work/mutex.ts';
import type { CrashPoint } from '../../test-hooks.ts';
import type { SigningSecrets } from '../endpoints/signing-secrets.ts';
import { deliveriesDueChannel } from '../events/queries.ts';
import { attempt } from './attempt.ts';
import { createRecorder } from './recorder.ts';
import { type Claim, claimDeliveries } from './store.ts';

/** For tests: other name servers and authorities, other times, another clock. */
export type DeliveringOptions = {
  /** Attempts of this process at once. Default 1,024. */
  maxConcurrentAttempts?: number | undefined;
  resolver?: NameResolver | undefined;
  ca?: string | undefined;
  pollMs?: number | undefined;
  now?: (() => number) | undefined;
};

export type DeliveriesOptions = DeliveringOptions & {
  database: Database;
  secrets: SigningSecrets;
  /** Networks that may be reached though they are not public. */
  allow: readonly Cidr[];
  log: Logger;
  onStuck?: ((name: string) => void) | undefined;
  stuckAfterMs?: number | undefined;
  /** For tests: where the process may die, and shorter leases. */
  crashPoint?: CrashPoint | undefined;
  leaseMs?: number | undefined;
};

export type Deliveries = AsyncDisposable & {
  /** Deliveries of these accounts were committed: wakes this process at once and the others within milliseconds. */
  announce: (accountIds: readonly string[]) => void;
};

/**
 * An attempt takes 10 s at most and is recorded within a moment: no lease needs renewal. One left behind by a dead
 * process is found again by the next look after, within 15 s in all.
 */
const defaultLeaseMs = 12_500;
const defaultPollMs = 1_000;
/** A waiting attempt costs a socket and some 30 kB. */
const defaultMaxConcurrentAttempts = 1_024;
const maxClaimsPerStatement = 256;
/**
 * Milliseconds that slots which come free, and results, are gathered for. Where few attempts are under way, an account with
 * ten endpoints, the wait would be most of what a turn takes; where many are, it halves the statements.
 */
const gatherMs = { few: 1, slots: 8, results: 4 } as const;
/** So many attempts under way are many. */
const manyAttempts = 100;
/** Milliseconds that attempts under way may take to end when the process stops; then they are cut short. */
const finishWithinMs = 8_000;

/**
 * Starts what delivers events: whatever is due is claimed round robin, sent, and its outcome recorded. Woken at once by
 * what is announced; a look each second finds retries that fell due and what a dead process left.
 */
export function startDeliveries(options: DeliveriesOptions): Deliveries {
  const { database, log, crashPoint } = options;
  const owner = newId('svc_');
  const leaseMs = options.leaseMs ?? defaultLeaseMs;
  const egress = createEgress({
    allow: options.allow,
    ...(options.resolver !== undefined && { resolver: options.resolver }),
    ...(options.ca !== undefined && { ca: options.ca }),
  });
  const mutex = createMutex();
  let underWay = 0;
  const gatherFor = (manyMs: number) => () => (underWay < manyAttempts ? gatherMs.few : manyMs);
  const recorder = createRecorder({ database, mutex, gatherMs: gatherFor(gatherMs.results), log });
  const slots = options.maxConcurrentAttempts ?? defaultMaxConcurrentAttempts;
  const queue = startLeaseQueue<Claim>({
    slots,
    idOf: ({ deliveryId }) => deliveryId,
    run: async (claim) => {
      underWay++;
      using _counted = { [Symbol.dispose]: () => void underWay-- };
      await crashPoint?.('delivery-claimed');
      const outcome = await attempt(claim, { egress, secrets: options.secrets, now: options.now });
      // Stopped by the end of this process: the lease leaves it to another.
      if (outcome === undefined) return;
      await crashPoint?.('delivery-posted');
      await recorder.record(claim, outcome);
      await crashPoint?.('delivery-recorded');
    },
    onError: ({ deliveryId }, error) =>
      log.error({ deliveryId, err: error }, 'an attempt was left to its lease'),
    finishWithinMs,
    polling: {
      name: 'deliveries',
      everyMs: options.pollMs ?? defaultPollMs,
      onStuck: options.onStuck,
      stuckAfterMs: options.stuckAfterMs,
      maxPerClaim: maxClaimsPerStatement,
      gatherMs: gatherFor(gatherMs.slots),
      claim: (free, running) =>
        mutex(() =>
          claimDeliveries(database, { owner, leaseMs, slots: free, ...shareSlots(slots, running) }),
        ),
    },
    log,
  });
  const notifier = createNotifier({ database, channel: deliveriesDueChannel, log });
  const listener = listen({
    url: database.url,
    channels: { [deliveriesDueChannel]: queue.wake },
    log,
    onConnect: queue.wake,
  });
  return {
    announce: (accountIds) => {
      if (accountIds.length === 0) return;
      for (const accountId of accountIds) notifier.announce(accountId);
      queue.wake();
    },
    [Symbol.asyncDispose]: async () => {
      await listener[Symbol.asyncDispose]();
      await queue[Symbol.asyncDispose]();
      await egress[Symbol.asyncDispose]();
      await recorder[Symbol.asyncDispose]();
      await queue.finish();
      await notifier[Symbol.asyncDispose]();
    },
  };
}

/**
 * Endpoints whose last attempt failed may take half of the slots, and past half of them in use no endpoint gets a second
 * one: many that hang at once leave slots to those that answer.
 */
function shareSlots(slots: number, running: ReadonlySet<Claim>): { failingSlots: number; several: boolean } {
  const half = Math.floor(slots / 2);
  let failing = 0;
  for (const claim of running) if (claim.failing) failing++;
  return {
    failingSlots: Math.max(0, Math.min(half - failing, slots - running.size)),
    several: running.size < half,
  };
}
