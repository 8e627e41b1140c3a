import type { KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Driver, EngineFailure, type Handle, type Prepared } from '@renderkit/engine-kit/driver.ts';
import { finishOutputs } from '@renderkit/engine-kit/finish-outputs.ts';
import { isOutOfSpace } from '@renderkit/engine-kit/out-of-space.ts';
import { prepareMedia } from '@renderkit/engine-kit/prepare-media.ts';
import { resolveBindings } from '@renderkit/engine-kit/resolve-bindings.ts';
import { onUnknownOf, type Route } from '@renderkit/engine-kit/route.ts';
import { makeTemporaryDirectory } from '@renderkit/media-kit/temporary-directory.ts';
import { type Database, isDatabaseUnavailable, isWorthRetrying } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { Claim } from '../backends/claim-queries.ts';
import { recordUnfit, restBackend } from '../backends/fault-queries.ts';
import type { CatalogModel } from '../catalog/catalog-model.ts';
import type { Catalog } from '../catalog/open-catalog.ts';
import type { BlobStorage } from '../storage/blob-storage.ts';
import { mediaFolder } from '../storage/media-folder.ts';
import { endSubmission, type Ended, type SubmissionEnd } from './end-submission.ts';
import type { JobValues } from './engine-values.ts';
import { followToEnd, type FollowPauses } from './follow-job.ts';
import { Reporter, type ReporterOptions } from '../progress/reporter.ts';
import { clearUp } from './clear-up.ts';
import { withMaterials } from './job-materials.ts';
import { persist } from './persist.ts';
import { storeOutput } from './store-output.ts';
import type { MadeAsset } from './store.ts';
import { failedEnd } from './submission-failure.ts';
import { recordBegun, recordLost, recordSent } from './submission-store.ts';

export type SubmissionDependencies = Omit<ReporterOptions, 'log'> & {
  storage: BlobStorage;
  mediaKey: KeyObject;
  catalog: Catalog;
  /** @throws EngineFailure where this process cannot speak to the backend */
  driverOf: (backend: string) => Promise<Driver>;
  /** This process, in leases. */
  worker: string;
  leaseMs: number;
  /** Tells the account's readers, after commit. */
  announce: (account: string) => void;
  log: Logger;
  crashPoint?: ((name: string) => void | Promise<void>) | undefined;
  /** For tests: shorter ones. */
  pauses?: Partial<Pauses>;
};

/** Milliseconds. */
type Pauses = FollowPauses & { askAgain: number; fetchAgain: number; spaceAgain: number };

const usualPauses: Pauses = {
  askAgain: 5_000,
  fetchAgain: 20_000,
  spaceAgain: 15_000,
  unreachable: 2_000,
  maxUnreachable: 15_000,
  minLook: 10_000,
  lastLook: 10_000,
};
/** Milliseconds between two requests to cancel a job. */
const maxCancelPause = 60_000;
/** An answer of a paid provider that was of no use is fetched so often, and the job never bought again. */
const maxFetches = 3;
/** Until an engine has said whether it takes a job. */
const submitSeconds = 60;
const runSeconds = { image: 10 * 60, video: 60 * 60 };

/** One job of a render at a backend behind an address, and what it takes to carry it on. */
type Job = {
  claim: Claim;
  model: CatalogModel;
  route: Route;
  files: ReadonlyMap<string, string>;
  driver: Driver;
  folder: string;
  signal: AbortSignal;
  /** Raised where its backend is drained and the time for what runs is over. */
  draining: AbortSignal;
  /** By which the engine knows the job, once it has it. */
  handle: Handle | undefined;
  /** Whether the engine may have the job by now, and whether it has. */
  arrival: { isPossible: boolean; isKnown: boolean };
  pauses: Pauses;
  reporter: Reporter;
  dependencies: SubmissionDependencies;
};

/** The job was canceled where it ran: another backend may make it, or nobody does any more. */
class Drained extends Error {
  override readonly name = 'Drained';
  /** The backend never had it. */
  readonly unsent: boolean;

  constructor(message: string, unsent = false) {
    super(message);
    this.unsent = unsent;
  }
}

type Stops = Pick<Job, 'signal' | 'draining'> & { onNext: (next: Claim) => void };

/**
 * Carries a submission to its end, and the further jobs of its render after it. The row is there before anything is sent;
 * one that was taken over is looked for and followed, and sent only where the engine provably never had it: its row says
 * that no request was begun, or the engine that it has none.
 * @param stops `signal`: the lease is gone or the worker stops. `draining`: the job is canceled and given back; its render
 *   ends if it was stopped. `onNext` is told of the render's next job as soon as that is there, for its lease
 * @throws the signal's reason: another goes on
 */
export async function runSubmission(
  claim: Claim,
  stops: Stops,
  dependencies: SubmissionDependencies,
): Promise<void> {
  let next: Claim | undefined = claim;
  while (next !== undefined) {
    const ended: Ended = await runJob(next, stops, dependencies);
    next = ended.next === 'job' ? ended.claim : undefined;
  }
}

async function runJob(
  claim: Claim,
  { signal, draining, onNext }: Stops,
  dependencies: SubmissionDependencies,
): Promise<Ended> {
  const { database, catalog, log, worker, leaseMs, crashPoint } = dependencies;
  await using scratch = makeTemporaryDirectory();
  const model = await catalog.version(claim.model_id, claim.version);
  const route = model?.routes[claim.route];
  if (model === undefined || route === undefined)
    throw new Error(`submission ${claim.id} names a route that is not there`);
  await using reporter = new Reporter(dependencies, claim, model.offered.nsfw);
  reporter.report({ type: 'progress', stage: 'waiting_for_engine', fraction: null });
  const files = await catalog.files(claim.model_id, claim.version);
  const arrival = { isPossible: claim.begun_at !== null, isKnown: claim.state === 'sent' };
  let end: SubmissionEnd;
  try {
    const driver = await persist(() => dependencies.driverOf(claim.backend), signal);
    const pauses = { ...usualPauses, ...dependencies.pauses };
    const folder = scratch.path;
    const job = {
      claim,
      model,
      route,
      files,
      driver,
      folder,
      signal,
      draining,
      handle: claim.state === 'sent' ? claim.handle : undefined,
      arrival,
      pauses,
      reporter,
      dependencies,
    };
    end = await carryOn(job);
  } catch (error) {
    signal.throwIfAborted();
    const { id: submission, render_id: render, backend } = claim;
    log.warn({ err: error, submission, render, backend }, 'a job at a backend failed');
    // Only before anything was sent: once it is, a job is carried on until there is space.
    if (isOutOfSpace(error)) end = { type: 'given_back', excused: true };
    else if (error instanceof Drained) end = { type: 'given_back', excused: false, unsent: error.unsent };
    else end = failedEnd(error, route, arrival.isKnown ? reporter.stage : 'submitting');
    if (error instanceof EngineFailure) await persist(() => blame(database, claim, error), signal);
  }
  const maxPerJob = route.outputs.max_per_job;
  const ended = await persist(
    () => endSubmission(database, claim, end, { worker, leaseMs, maxPerJob, isUnsent: !arrival.isPossible }),
    signal,
  );
  if (ended.next === 'job') onNext(ended.claim);
  await crashPoint?.('submission: ended');
  await clearUp(claim, ended, dependencies);
  return ended;
}

/** Nothing rests for a user's bad value, nor for what nobody knows. */
async function blame(database: Database, claim: Claim, failure: EngineFailure): Promise<void> {
  if (failure.blame === 'pair' && !failure.tooLarge)
    await recordUnfit(database, claim, { code: 'sample_failed', message: failure.message });
  if (failure.blame === 'backend' && failure.code !== 'outcome_unknown')
    await restBackend(database, claim.backend, failure);
}

/**
 * Makes the outputs. Once the engine may have the job, trouble of our own that passes does not end it: the database, the store or
 * the disk is waited for, as long as a job may run, where the job given back would be bought again.
 */
async function carryOn(job: Job): Promise<SubmissionEnd> {
  const { claim, route, arrival, signal, pauses, dependencies } = job;
  const patientUntil = performance.now() + runSecondsOf(route) * 1_000;
  for (;;) {
    try {
      return await makeOutputs(job);
    } catch (error) {
      const isOurs = !(error instanceof EngineFailure) && isPassing(error);
      if (!arrival.isPossible || !isOurs || performance.now() > patientUntil) throw error;
      dependencies.log.warn(
        { err: error, submission: claim.id },
        'a job that was sent waits for what is ours',
      );
      await sleep(pauses.askAgain, undefined, { signal });
    }
  }
}

const isPassing = (error: unknown) =>
  isDatabaseUnavailable(error) || isWorthRetrying(error) || isOutOfSpace(error);

async function makeOutputs(job: Job): Promise<SubmissionEnd> {
  const { dependencies } = job;
  const { database, catalog, storage, crashPoint } = dependencies;
  const begun = performance.now();
  return withMaterials(job, { database, storage, snapshot: catalog.current() }, async (materials) => {
    const values = materials.values();
    const handle = (job.handle ??= await send(job, values));
    await crashPoint?.('submission: sent');
    const { assets, cost } = await collect(job, handle, values);
    await crashPoint?.('submission: stored');
    return { type: 'made', assets, cost, seconds: (performance.now() - begun) / 1_000 };
  });
}

/** Has the engine have the job exactly once. */
async function send(job: Job, values: JobValues): Promise<Handle> {
  const { claim, route, files, driver, folder, signal, draining, arrival, dependencies } = job;
  const { database, crashPoint } = dependencies;
  const resolved = resolveBindings(route, values.values);
  const options = { size: values.working, maskBlur: values.mask?.blur ?? 0, folder, signal };
  const bound = await prepareMedia(resolved, { ...options, imageSize: sizeOf(values.image) });
  const { id, outputs } = claim;
  const prepared = await driver.prepare({ route, files, id, outputs, values: bound }, signal);
  let found: { handle: Handle } | 'absent' = arrival.isPossible ? await locate(job, prepared) : 'absent';
  while (found === 'absent') {
    arrival.isPossible = false;
    await crashPoint?.('submission: intended');
    signal.throwIfAborted();
    const begun = draining.aborted ? 'stopped' : await persist(() => recordBegun(database, claim), signal);
    if (begun === 'stopped') throw new Drained('It is not sent any more.', true);
    if (begun === 'taken_over') throw new Error(`submission ${id} was taken over`);
    await crashPoint?.('submission: begun');
    try {
      arrival.isPossible = true;
      found = { handle: await submitInTime(job, prepared) };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof EngineFailure && error.sent === 'no') arrival.isPossible = false;
      if (!(error instanceof EngineFailure) || error.sent !== 'unknown') throw error;
      found = await locate(job, prepared);
    }
  }
  await crashPoint?.('submission: posted');
  const { handle } = found;
  if (!(await persist(() => recordSent(database, claim, handle), signal)))
    throw new Error(`submission ${id} was taken over`);
  arrival.isKnown = true;
  return handle;
}

/** @throws EngineFailure `sent: 'unknown'` where the engine did not say in its time whether it took the job */
async function submitInTime({ claim, driver, route, signal }: Job, prepared: Prepared): Promise<Handle> {
  const seconds = route.timeouts?.submit ?? submitSeconds;
  const time = AbortSignal.timeout(seconds * 1_000);
  try {
    return await driver.submit(prepared, claim.id, AbortSignal.any([signal, time]));
  } catch (error) {
    if (signal.aborted || !time.aborted || error instanceof EngineFailure) throw error;
    const options = { blame: 'backend', code: 'engine_unavailable', sent: 'unknown', cause: error } as const;
    throw new EngineFailure(`${claim.backend} did not take the job within ${seconds} seconds.`, options);
  }
}

const sizeOf = (image: JobValues['image']) =>
  image?.width && image.height ? { width: image.width, height: image.height } : null;

/**
 * Looks for a job whose fate is unknown, as long as its route says.
 * @throws EngineFailure where it cannot be found out, or may be sent anew
 */
async function locate(job: Job, prepared: Prepared): Promise<{ handle: Handle } | 'absent'> {
  const { claim, route, driver, signal, pauses, dependencies } = job;
  const policy = onUnknownOf(route);
  for (;;) {
    const found = await driver.find(prepared, claim.id, claim.created_at, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      if (!(error instanceof EngineFailure)) throw error;
      return 'unreachable' as const;
    });
    if (found === 'absent') return found;
    if (typeof found === 'object') return found;
    const lostSeconds = await persist(() => recordLost(dependencies.database, claim), signal);
    if (lostSeconds === undefined) throw new Error(`submission ${claim.id} was taken over`);
    const patience = policy === 'ask' ? runSecondsOf(route) : (2 * dependencies.leaseMs) / 1_000;
    if (policy === 'retry' && (found === 'unknown' || lostSeconds >= patience))
      throw new EngineFailure('The fate of the job is unknown; it is sent anew.', {
        blame: 'backend',
        code: 'engine_unavailable',
      });
    if (lostSeconds >= patience)
      throw new EngineFailure('Nobody can tell what became of the job.', {
        blame: 'backend',
        code: 'outcome_unknown',
      });
    await sleep(pauses.askAgain, undefined, { signal });
  }
}

const runSecondsOf = ({ timeouts, outputs }: Route) => timeouts?.run ?? runSeconds[outputs.kind];

type Collected = { assets: MadeAsset[]; cost: number | null };

/** Waits for the result, brings it to what was promised and stores it; nothing of it is made anew in here. */
async function collect(job: Job, handle: Handle, values: JobValues): Promise<Collected> {
  const { route, signal, pauses, dependencies } = job;
  using drain = watchDrain(job, handle);
  for (let fetches = 1; ;) {
    try {
      return await collectOnce({ ...job, signal: AbortSignal.any([signal, drain.canceled]) }, handle, values);
    } catch (error) {
      signal.throwIfAborted();
      if (await drain.isCanceled()) throw new Drained('The backend is drained.');
      if (isOutOfSpace(error)) {
        dependencies.log.warn(
          { err: error, submission: job.claim.id },
          'a result waits for room on the disk',
        );
        await sleep(pauses.spaceAgain, undefined, { signal });
        continue;
      }
      const isUseless = error instanceof EngineFailure && error.badResult && error.blame === 'backend';
      if (!isUseless || route.cost === undefined || fetches++ >= maxFetches) throw error;
      await sleep(pauses.fetchAgain, undefined, { signal });
    }
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

async function collectOnce(job: Job, handle: Handle, values: JobValues): Promise<Collected> {
  const { claim, model, route, files, driver, folder, signal, pauses, reporter, dependencies } = job;
  const { storage, mediaKey, crashPoint } = dependencies;
  const result = await followToEnd(
    driver,
    { handle, job: { route, files, id: claim.id, outputs: claim.outputs, folder } },
    {
      runSeconds: runSecondsOf(route),
      startSeconds: route.timeouts?.start,
      silentSeconds: route.timeouts?.silent,
      since: claim.sent_at,
      signal,
      pauses,
      report: reporter.report,
    },
  );
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
