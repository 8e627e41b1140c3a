import type { Logger } from '../process/logger.ts';
import type { Leases } from './leases.ts';
import { type Loop, type LoopOptions, startLoop } from './loop.ts';
import { within } from './within.ts';

export type LeaseQueueOptions<Claim> = {
  /** The maximum number of claims that run at once. */
  slots: number;
  /** Returns the id of the claim's lease. */
  idOf: (claim: Claim) => string;
  /**
   * Runs a claim. `stopping` aborts when the queue stops: work that can end early should end; other work has
   * `finishWithinMs` left.
   */
  run: (claim: Claim, stopping: AbortSignal) => Promise<void>;
  /**
   * Receives an error of `run`. The lease of the claim is no longer renewed; when it expires, the work is claimed
   * again.
   */
  onError: (claim: Claim, error: unknown) => void;
  /** Puts back claims that have not started when the queue stops. Without this function, they still run. */
  giveBack?: (claims: Claim[]) => Promise<void>;
  /** Renews the leases of all claims in the queue. Omitted when a claim takes less time than its lease. */
  leases?: Pick<Leases, 'hold'>;
  /** Milliseconds that running claims may take to end when the queue stops. After that, their leases expire. */
  finishWithinMs: number;
  /** Claims due work. When omitted, claims come only through `add`. */
  polling?: LeasePolling<Claim>;
  log: Logger;
};

/** `everyMs` is the longest delay before work that nobody announced is found. */
export type LeasePolling<Claim> = Pick<LoopOptions, 'name' | 'everyMs' | 'onStuck' | 'stuckAfterMs'> & {
  /** Claims up to `max`. `running` has the claims that run now, so that the claim can divide the slots. */
  claim: (max: number, running: ReadonlySet<Claim>) => Promise<Claim[]>;
  /** The maximum number of claims in one statement. Default: the number of slots. */
  maxPerClaim?: number;
  /**
   * Milliseconds to collect free slots before claiming, because one claim costs about as much as a hundred. Default:
   * none.
   */
  gatherMs?: () => number;
};

export type LeaseQueue<Claim> = AsyncDisposable & {
  /** Looks for due work now. */
  wake: () => void;
  /** Also runs these claims when slots become free, in the order of their arrival. */
  add: (claims: readonly Claim[]) => void;
  /** The number of claims that have not started. */
  readonly waiting: number;
  /** Waits until nothing runs, at most `finishWithinMs`. */
  finish: () => Promise<void>;
};

/**
 * Runs work that is leased in the database. Generations, imports and webhooks use it:
 * `service/src/generations/dispatch/dispatcher.ts`, `service/src/uploads/imports.ts`,
 * `service/src/webhooks/deliveries/start-deliveries.ts`. Claims as much as there are free slots, runs each claim, and has the
 * leases renewed meanwhile. On disposal, puts back the claims that have not started and waits for those that run.
 */
export function startLeaseQueue<Claim>(options: LeaseQueueOptions<Claim>): LeaseQueue<Claim> {
  const { slots, polling, log } = options;
  const stopping = new AbortController();
  const waiting: { claim: Claim; lease: Disposable | undefined }[] = [];
  const running = new Set<Claim>();
  const works = new Set<Promise<void>>();

  const start = ({ claim, lease }: (typeof waiting)[number]) => {
    running.add(claim);
    const work = options
      .run(claim, stopping.signal)
      .catch((error: unknown) => options.onError(claim, error))
      .finally(() => {
        works.delete(work);
        running.delete(claim);
        lease?.[Symbol.dispose]();
        startWaiting();
        onSlotFree();
      });
    works.add(work);
  };
  const startWaiting = () => {
    if (stopping.signal.aborted && options.giveBack !== undefined) return;
    while (running.size < slots) {
      const next = waiting.shift();
      if (next === undefined) return;
      start(next);
    }
  };
  const add = (claims: readonly Claim[]) => {
    for (const claim of claims) waiting.push({ claim, lease: options.leases?.hold(options.idOf(claim)) });
    startWaiting();
  };
  const giveBackWaiting = async () => {
    const unstarted = waiting.splice(0);
    if (unstarted.length === 0) return;
    await options
      .giveBack?.(unstarted.map(({ claim }) => claim))
      .catch((error: unknown) => log.warn({ err: error }, 'claims were left to their leases'));
    for (const { lease } of unstarted) lease?.[Symbol.dispose]();
  };
  const ended = async () => {
    while (works.size > 0) await Promise.all(works);
  };
  const finish = () => within(ended(), options.finishWithinMs);

  const loop =
    polling &&
    startPolling(polling, { add, running, log, free: () => slots - running.size - waiting.length });
  const wake = () => loop?.wake();
  const onSlotFree = polling?.gatherMs === undefined ? wake : gathered(wake, polling.gatherMs);
  return {
    wake,
    add,
    get waiting() {
      return waiting.length;
    },
    finish,
    [Symbol.asyncDispose]: async () => {
      stopping.abort(new Error('the queue is stopping'));
      await loop?.[Symbol.asyncDispose]();
      if (options.giveBack !== undefined) await giveBackWaiting();
      await finish();
    },
  };
}

function startPolling<Claim>(
  polling: LeasePolling<Claim>,
  queue: { add: (claims: Claim[]) => void; running: ReadonlySet<Claim>; free: () => number; log: Logger },
): Loop {
  const { maxPerClaim = Number.POSITIVE_INFINITY } = polling;
  const loop = startLoop({
    ...polling,
    log: queue.log,
    // Claims once per round: with a long backlog, a round that continued while work is due would look stuck.
    run: async () => {
      const max = Math.min(queue.free(), maxPerClaim);
      if (max <= 0) return;
      const claims = await polling.claim(max, queue.running);
      queue.add(claims);
      // Fewer claims than `max` mean that nothing else is due, or that the rest waits for running work.
      if (claims.length >= max) loop.wake();
    },
  });
  return loop;
}

/** Returns a function that delays the callback by `ms` and combines all calls of this time into one. */
function gathered(callback: () => void, ms: () => number): () => void {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      callback();
    }, ms());
  };
}
