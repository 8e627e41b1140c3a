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

/** Milliseconds between two requests to cancel a job. */
const maxCancelPause = 60_000;
/** An answer of a paid provider that was of no use is fetched so often, and the job never bought again. */
const maxFetches = 3;
/** Milliseconds that a person waits for what was made and cannot be had or stored. */
const maxPatienceMs = 10 * 60_000;
/** Milliseconds between two looks for a result whose host is away. */
const maxFetchPause = 120_000;
/** Milliseconds that a result which was there already has to be fetched again, however long its job took. */
const fetchMs = 10 * 60_000;

type Collected = { assets: MadeAsset[]; cost: number | null };

/** Waits for the result, brings it to what was promised and stores it; nothing of it is made anew in here. */
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
      // A stop, or the end of a drain, cuts the waiting short; want of space is nothing that it would mend.
      const isCut = !isOutOfSpace(error) && !draining.aborted;
      const ended = isCut ? AbortSignal.any([signal, draining]) : signal;
      await sleep(pause, undefined, { signal: ended }).catch(() => signal.throwIfAborted());
    }
  }
}

/** For how long a result that is there is tried again, by what was wrong with it. What was paid for is never bought twice. */
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

  /** The engine has done its part. */
  resultIsThere(): void {
    this.#hasResult = true;
  }

  /** Whether this is another try: the engine has done its part, and its clocks are no matter any more. */
  get isAgain(): boolean {
    return this.#until !== undefined;
  }

  /** Milliseconds until the next try; undefined where there is none. `isUnwanted`: its render was stopped, or its backend has to be free. */
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
 * Cancels the job once its backend has to be free, and asks again where it is not known. One that is beyond that goes on to its
 * end: given back it would be made twice.
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
    /** For whoever knows that the job has ended: nothing is asked any more. */
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
 * Whether the engine canceled the job; asked again while it cannot say so or be reached, and false where `ended` is raised
 * before.
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
    // A try before this one may have stored its own.
    await storage.removeFolder(mediaFolder(mediaKey, stored.id, stored.attempt, file.index));
    reporter.storing(assets.length);
    const about = { nsfw: model.offered.nsfw, seed: values.seed };
    assets.push(await storeOutput(stored, file, about, dependencies));
  }
  return { assets, cost: result.cost ?? null };
}
