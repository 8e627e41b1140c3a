import type { Logger } from '../process/logger.ts';
import type { Leases } from './leases.ts';
import { type Loop, type LoopOptions, startLoop } from './loop.ts';
import { within } from './within.ts';

export type LeaseQueueOptions<Claim> = {
  /** Claims that run at once. */
  slots: number;
  /** The id that the claim's lease is held by. */
  idOf: (claim: Claim) => string;
  /** `stopping` aborts when the queue stops: what can end early does, what cannot has `finishWithinMs` left. */
  run: (claim: Claim, stopping: AbortSignal) => Promise<void>;
  /** What `run` throws. The claim is left to its lease, which ends, so that the work is claimed again. */
  onError: (claim: Claim, error: unknown) => void;
  /** Puts back what was claimed and has not begun when the queue stops. Left out: it runs all the same. */
  giveBack?: (claims: Claim[]) => Promise<void>;
  /** Renews the leases of all claims that are here. Left out: a claim takes less than its lease. */
  leases?: Pick<Leases, 'hold'>;
  /** Milliseconds that claims under way are given to end when the queue stops; then they are left to their leases. */
  finishWithinMs: number;
  /** Claims what is due. Left out: claims come by `add` alone. */
  polling?: LeasePolling<Claim>;
  log: Logger;
};

/** `everyMs`: so late is found, at the latest, what nobody announced. */
export type LeasePolling<Claim> = Pick<LoopOptions, 'name' | 'everyMs' | 'onStuck' | 'stuckAfterMs'> & {
  /** Claims up to `max`. `running`: what runs now, for claims that share the slots out. */
  claim: (max: number, running: ReadonlySet<Claim>) => Promise<Claim[]>;
  /** Claimed in one statement at most. Default: as many as there are slots. */
  maxPerClaim?: number;
  /** Slots that come free are gathered for so long: a claim costs much the same for one as for a hundred. Default: not at all. */
  gatherMs?: () => number;
};

export type LeaseQueue<Claim> = AsyncDisposable & {
  /** Something may be due. */
  wake: () => void;
  /** Runs these claims too, as slots come free, first come first served. */
  add: (claims: readonly Claim[]) => void;
  /** Claims that have not begun. */
  readonly waiting: number;
  /** Waits until nothing runs, for `finishWithinMs` at most. */
  finish: () => Promise<void>;
};

/**
 * Runs work that is leased in the database: claims as much as there are free slots for, runs each claim, has the leases
 * renewed meanwhile, and at its end finishes what runs and gives back what has not begun.
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
    // One claim a round: a round that went on while anything is due would look stuck under a deep backlog.
    run: async () => {
      const max = Math.min(queue.free(), maxPerClaim);
      if (max <= 0) return;
      const claims = await polling.claim(max, queue.running);
      queue.add(claims);
      // Fewer than asked for: nothing else is due, or it waits for something that runs.
      if (claims.length >= max) loop.wake();
    },
  });
  return loop;
}

/** Calls back once for all calls of the next moment. */
function gathered(callback: () => void, ms: () => number): () => void {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      callback();
    }, ms());
  };
}
