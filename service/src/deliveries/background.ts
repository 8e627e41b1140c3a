import { createEgress } from '@renderkit/egress/guarded-fetch.ts';
import type { Cidr } from '@renderkit/egress/public-address.ts';
import type { NameResolver } from '@renderkit/egress/resolve-name.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createNotifier, listen } from '@renderkit/server-kit/db/notify.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { startLoop } from '@renderkit/server-kit/work/loop.ts';
import { deliveriesDueChannel } from '../events/announce-due.ts';
import type { SigningSecrets } from '../webhooks/signing-secret.ts';
import { attempt } from './attempt.ts';
import { createAttempts } from './attempts.ts';
import type { DeliveryCrashPoint } from './crash-point.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { createRecorder } from './recorder.ts';
import { claimDeliveries } from './store.ts';

/** For tests: other name servers and authorities, other times, another clock. */
export type DeliveringOptions = {
  /** Attempts of this process at once. Default 1,024. */
  attemptsAtOnce?: number | undefined;
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
  crashPoint?: DeliveryCrashPoint | undefined;
  leaseMs?: number | undefined;
};

export type Deliveries = AsyncDisposable & {
  /** Deliveries of these accounts were committed: tells this process at once and the others within milliseconds. */
  announce: (accountIds: readonly string[]) => void;
};

/**
 * An attempt takes 10 s at most and is recorded within a moment: no lease needs renewal. One left behind by a dead
 * process is found again by the next look after, within 15 s in all.
 */
const defaultLeaseMs = 12_500;
const defaultPollMs = 1_000;
/** A waiting attempt costs a socket and some 30 kB. */
const defaultAttemptsAtOnce = 1_024;
const claimsPerStatement = 256;
/** Room that comes free is gathered for so long: a claim costs much the same for one as for a hundred. */
const gatherMs = 8;

/**
 * Starts what delivers events: whatever is due is claimed by turns, sent, and what came of it recorded. Woken at once by
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
  const inTurn = oneAtATime();
  const recorder = createRecorder({ database, inTurn, log });
  const attempts = createAttempts({
    atOnce: options.attemptsAtOnce ?? defaultAttemptsAtOnce,
    log,
    run: async (claim) => {
      await crashPoint?.('delivery-claimed');
      const outcome = await attempt(claim, { egress, secrets: options.secrets, now: options.now });
      // Stopped by the end of this process: the lease leaves it to another.
      if (outcome === undefined) return;
      await crashPoint?.('delivery-posted');
      await recorder.record(claim, outcome);
      await crashPoint?.('delivery-recorded');
    },
    onDone: gathered(() => loop.wake()),
  });
  const loop = startLoop({
    name: 'deliveries',
    everyMs: options.pollMs ?? defaultPollMs,
    log,
    onStuck: options.onStuck,
    stuckAfterMs: options.stuckAfterMs,
    // One claim a round: a round that went on while anything is due would look stuck under a deep backlog.
    run: async () => {
      const places = Math.min(attempts.room().places, claimsPerStatement);
      if (places === 0) return;
      const claims = await inTurn(() =>
        claimDeliveries(database, { owner, leaseMs, ...attempts.room(), places }),
      );
      attempts.start(claims);
      // Fewer than asked for: nothing else is due, or it waits for one that is under way.
      if (claims.length === places) loop.wake();
    },
  });
  const notifier = createNotifier({ database, channel: deliveriesDueChannel, log });
  const listener = listen({
    url: database.url,
    channel: deliveriesDueChannel,
    log,
    onIds: loop.wake,
    onConnect: loop.wake,
  });
  return {
    announce: (accountIds) => {
      if (accountIds.length === 0) return;
      for (const accountId of accountIds) notifier.announce(accountId);
      loop.wake();
    },
    [Symbol.asyncDispose]: async () => {
      await listener[Symbol.asyncDispose]();
      await loop[Symbol.asyncDispose]();
      await attempts.finish();
      await egress[Symbol.asyncDispose]();
      await recorder[Symbol.asyncDispose]();
      await attempts.finish();
      await notifier[Symbol.asyncDispose]();
    },
  };
}

/** Calls back once for all calls of the next moment. */
function gathered(callback: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      callback();
    }, gatherMs);
  };
}
