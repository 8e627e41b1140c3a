import { setTimeout as sleep } from 'node:timers/promises';
import { EngineFailure, type Handle } from '@renderkit/engine-kit/driver.ts';
import { finishOutputs } from '@renderkit/engine-kit/finish-outputs.ts';
import { isOutOfSpace } from '@renderkit/engine-kit/out-of-space.ts';
import { mediaFolder } from '../storage/media-folder.ts';
import type { JobValues } from './engine-values.ts';
import { followToEnd } from './follow-job.ts';
import { Drained, type Job } from './job.ts';
import { runSecondsOf } from './run-timeout.ts';
import { storeOutput } from './store-output.ts';
import type { MadeAsset } from './store.ts';

/** The longest pause between two requests to cancel a job, in milliseconds. */
const maxCancelPause = 60_000;
/** How often a useless result of a paid provider is fetched. The job is never bought again. */
const maxFetches = 3;
/** Milliseconds, at most, for which a result that cannot be fetched or stored is tried again. */
const maxPatienceMs = 10 * 60_000;
/** The longest pause between two fetches of a result whose host is away, in milliseconds. */
const maxFetchPause = 120_000;
/** Milliseconds that fetching an existing result again may take, however long its job took. */
const fetchMs = 10 * 60_000;

type Collected = { assets: MadeAsset[]; cost: number | null };

/** Waits for the result, converts it to what was promised and stores it. Never has the engine make it again. */
export async function collect(job: Job, handle: Handle, values: JobValues): Promise<Collected> {
  const { claim, signal, draining, dependencies } = job;
  using drain = watchDrain(job, handle);
  const patience = new Patience(job);
  for (;;) {
    const stopping = AbortSignal.any([signal, drain.canceled]);
    try {
      return await collectOnce({ ...job, signal: stopping }, handle, { values, patience });
    } catch (error) {
      signal.throwIfAborted();
      if (await drain.isCanceled()) throw new Drained('The backend is drained.');
      const pause = patience.pauseAfter(error, draining.aborted);
      if (pause === undefined) throw error;
      dependencies.log.warn({ err: error, submission: claim.id, pause_ms: pause }, 'a result is tried again');
      // A stop or the end of a drain ends this pause early, except while space is lacking: ending early would free
      // none.
      const isCut = !isOutOfSpace(error) && !draining.aborted;
      const ended = isCut ? AbortSignal.any([signal, draining]) : signal;
      await sleep(pause, undefined, { signal: ended }).catch(() => signal.throwIfAborted());
    }
  }
}

/**
 * Decides for how long an existing result is tried again, by the kind of error. What was paid for is never bought
 * twice.
 */
class Patience {
  readonly #job: Pick<Job, 'route' | 'pauses'>;
  #hasResult = false;
  #until: number | undefined;
  #fetches = 0;
  #away = 0;
  #tries = 0;

  constructor(job: Pick<Job, 'route' | 'pauses'>) {
    this.#job = job;
  }

  /** Notes that the engine has finished its part. */
  resultIsThere(): void {
    this.#hasResult = true;
  }

  /** Whether this is a retry: the engine has finished its part, and its time limits no longer matter. */
  get isAgain(): boolean {
    return this.#until !== undefined;
  }

  /**
   * Returns the milliseconds until the next try, `undefined` if there is none. `isUnwanted`: the render was stopped, or
   * its backend must become free.
   */
  pauseAfter(error: unknown, isUnwanted: boolean): number | undefined {
    const { route, pauses } = this.#job;
    this.#tries += 1;
    const now = performance.now();
    this.#until ??= now + Math.min(runSecondsOf(route) * 1_000, maxPatienceMs);
    if (isOutOfSpace(error)) return pauses.spaceAgain;
    const isTired = route.cost === undefined || now > this.#until;
    if (isTired || (isUnwanted && this.#tries >= maxFetches)) return undefined;
    if (isUnwanted) return this.#pauseOf(error) === undefined ? undefined : pauses.askAgain;
    return this.#pauseOf(error);
  }

  #pauseOf(error: unknown): number | undefined {
    const { pauses } = this.#job;
    if (!(error instanceof EngineFailure)) return this.#hasResult ? pauses.spaceAgain : undefined;
    if (!error.badResult || error.blame !== 'backend') return undefined;
    if (error.away) return Math.min(pauses.fetchAgain * 2 ** this.#away++, maxFetchPause);
    this.#fetches += 1;
    return this.#fetches < maxFetches ? pauses.fetchAgain : undefined;
  }
}

/**
 * Cancels the job once its backend must become free, and asks again while the outcome is unknown. A job that can no
 * longer be canceled goes on to its end: if it were given back, it would be made twice.
 */
function watchDrain(job: Job, handle: Handle) {
  const { signal, draining } = job;
  const canceled = new AbortController();
  const ended = new AbortController();
  let asked = Promise.resolve(false);
  const cancel = () => {
    asked = cancelUntilKnown(job, handle, AbortSignal.any([signal, ended.signal]));
    void asked.then((isCanceled) => isCanceled && canceled.abort(new Drained('The backend is drained.')));
  };
  if (draining.aborted) cancel();
  else draining.addEventListener('abort', cancel, { once: true });
  return {
    canceled: canceled.signal,
    /** To be called once the job has ended: stops asking, and returns whether the engine canceled the job. */
    isCanceled: () => {
      ended.abort();
      return asked;
    },
    [Symbol.dispose]: () => {
      ended.abort();
      draining.removeEventListener('abort', cancel);
    },
  };
}

/**
 * Returns whether the engine canceled the job. Asks again while the engine does not know or cannot be reached; returns
 * false if `ended` is raised first.
 */
async function cancelUntilKnown(
  { driver, signal, pauses, dependencies: { log } }: Job,
  handle: Handle,
  ended: AbortSignal,
): Promise<boolean> {
  for (let pause = pauses.askAgain; ; pause = Math.min(pause * 2, maxCancelPause)) {
    const outcome = await driver.cancel(handle, signal).catch((error: unknown) => {
      if (!signal.aborted) log.warn({ err: error }, 'a job could not be canceled to free its backend');
      return 'unknown' as const;
    });
    if (outcome !== 'unknown') return outcome === 'canceled';
    try {
      await sleep(pause, undefined, { signal: ended });
    } catch {
      return false;
    }
  }
}

async function collectOnce(
  job: Job,
  handle: Handle,
  { values, patience }: { values: JobValues; patience: Patience },
): Promise<Collected> {
  const { claim, model, route, files, driver, folder, signal, pauses, reporter, dependencies } = job;
  const { storage, mediaKey, crashPoint } = dependencies;
  const result = await followToEnd(
    driver,
    { handle, job: { route, files, id: claim.id, outputs: claim.outputs, folder } },
    {
      runSeconds: runSecondsOf(route),
      startSeconds: route.timeouts?.start,
      silentSeconds: patience.isAgain ? undefined : route.timeouts?.silent,
      since: claim.sent_at,
      signal,
      pauses: patience.isAgain ? { ...pauses, minLook: fetchMs } : pauses,
      report: reporter.report,
    },
  );
  patience.resultIsThere();
  await crashPoint?.('submission: result');
  const { image, mask, promised } = values;
  const inpaint = image && mask && { source: image.path, mask: mask.file.path, blur: mask.blur };
  const wanted = { kind: route.outputs.kind, size: promised, outputs: claim.outputs, inpaint, folder };
  const assets: MadeAsset[] = [];
  const stored = { id: claim.render_id, attempt: claim.attempt };
  for await (const file of finishOutputs(result.files, { ...wanted, first: claim.first_output }, signal)) {
    // An earlier try may have stored its files here.
    await storage.removeFolder(mediaFolder(mediaKey, stored.id, stored.attempt, file.index));
    reporter.storing(assets.length);
    const about = { nsfw: model.offered.nsfw, seed: values.seed };
    assets.push(await storeOutput(stored, file, about, dependencies));
  }
  return { assets, cost: result.cost ?? null };
}
