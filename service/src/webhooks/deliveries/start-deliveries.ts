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
  /** How many attempts this process makes at once. Default 1,024. */
  maxConcurrentAttempts?: number | undefined;
  resolver?: NameResolver | undefined;
  ca?: string | undefined;
  pollMs?: number | undefined;
  now?: (() => number) | undefined;
};

export type DeliveriesOptions = DeliveringOptions & {
  database: Database;
  secrets: SigningSecrets;
  /** Non-public networks that may be reached. */
  allow: readonly Cidr[];
  log: Logger;
  onStuck?: ((name: string) => void) | undefined;
  stuckAfterMs?: number | undefined;
  /** For tests: points at which the process may crash, and shorter leases. */
  crashPoint?: CrashPoint | undefined;
  leaseMs?: number | undefined;
};

export type Deliveries = AsyncDisposable & {
  /** Announces committed deliveries of these accounts: wakes this process at once and others within milliseconds. */
  announce: (accountIds: readonly string[]) => void;
};

/**
 * An attempt takes at most 10 s and is recorded at once, so leases are never renewed. If a process dies, the first look
 * after its lease expires finds the delivery, within 15 s in all.
 */
const defaultLeaseMs = 12_500;
const defaultPollMs = 1_000;
/** A waiting attempt costs a socket and some 30 kB. */
const defaultMaxConcurrentAttempts = 1_024;
const maxClaimsPerStatement = 256;
/**
 * Milliseconds for which free slots, and results, are gathered. With few running attempts, as for an account with ten
 * endpoints, the wait would be most of a turn's time. With many, it halves the number of statements.
 */
const gatherMs = { few: 1, slots: 8, results: 4 } as const;
/** From this number on, running attempts count as many. */
const manyAttempts = 100;
/** Milliseconds that running attempts may take to end when the process stops; then they are aborted. */
const finishWithinMs = 8_000;

/**
 * Starts the delivery of events: claims due deliveries round robin, sends them and records the outcomes. An
 * announcement wakes it at once. A look each second finds due retries and claims that a dead process left.
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
      // This process stopped the attempt: once the lease expires, another process makes it.
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
 * Limits endpoints whose last attempt failed to half of the slots. Once half of all slots are in use, no endpoint gets
 * a second one. This leaves slots to endpoints that answer, even if many hang at once.
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
