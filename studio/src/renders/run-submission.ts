import { setTimeout as sleep } from 'node:timers/promises';
import type { FailureStage } from '@renderkit/contract/studio/progress.ts';
import { type Driver, EngineFailure } from '@renderkit/engine-kit/driver.ts';
import { isOutOfSpace } from '@renderkit/engine-kit/out-of-space.ts';
import { makeTemporaryDirectory } from '@renderkit/media-kit/temporary-directory.ts';
import { type Database, isDatabaseUnavailable, isWorthRetrying } from '@renderkit/server-kit/db/database.ts';
import type { Claim } from '../backends/claim-queries.ts';
import { recordUnfit, restBackend } from '../backends/rest-queries.ts';
import { Reporter } from '../progress/reporter.ts';
import { clearUp } from './clear-up.ts';
import { collect } from './collect-job.ts';
import { endSubmission, type Ended, type SubmissionEnd } from './end-submission.ts';
import { Drained, type Job, type SubmissionDependencies, usualPauses } from './job.ts';
import { withMaterials } from './job-materials.ts';
import { persist } from './persist.ts';
import { runSecondsOf } from './run-timeout.ts';
import { send } from './send-job.ts';
import { failedEnd } from './submission-failure.ts';

type Stops = Pick<Job, 'signal' | 'draining'> & { onNext: (next: Claim) => void };

/**
 * Carries a submission, and then the further jobs of its render, to the end. The row exists before anything is sent. A
 * submission that was taken over is searched for and followed. It is sent only if the engine provably never had it: its
 * row shows that no request was begun, or the engine reports that it has no such job. `draw-submission.ts` runs the
 * renders of the worker's own engines.
 * @param stops `signal`: the lease is gone or the worker stops. `draining`: the job is canceled and given back; its
 *   render ends if it was stopped. `onNext` is called with the render's next job as soon as its row exists, so that its
 *   lease is renewed
 * @throws the signal's reason: another worker continues the job
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
  let job: Job | undefined;
  try {
    const pauses = { ...usualPauses, ...dependencies.pauses };
    const driver = await findDriver(claim.backend, { route, arrival, signal, pauses, dependencies });
    const handle = claim.state === 'sent' ? claim.handle : undefined;
    const about = { claim, model, route, files, driver, handle, arrival, pauses, reporter };
    job = { ...about, folder: scratch.path, signal, draining, dependencies };
    end = await carryOn(job);
  } catch (error) {
    signal.throwIfAborted();
    const { id: submission, render_id: render, backend } = claim;
    log.warn({ err: error, submission, render, backend }, 'a job at a backend failed');
    // The request was on its way, but the engine did not begin the job.
    if (error instanceof EngineFailure && error.untaken) arrival.isPossible = arrival.isKnown = false;
    end = endBy(error, { route, stage: arrival.isKnown ? reporter.stage : 'submitting', arrival });
    if (error instanceof EngineFailure) await persist(() => blame(database, claim, error), signal);
  }
  const maxPerJob = route.outputs.max_per_job;
  const ended = await persist(
    () => endSubmission(database, claim, end, { worker, leaseMs, maxPerJob, isUnsent: !arrival.isPossible }),
    signal,
  );
  if (ended.next === 'job') onNext(ended.claim);
  if (job?.handle !== undefined) job.driver.forget?.(job.handle);
  await crashPoint?.('submission: ended');
  await clearUp(claim, ended, dependencies);
  return ended;
}

type DriverSearch = Pick<Job, 'route' | 'arrival' | 'signal' | 'pauses' | 'dependencies'>;

/**
 * Returns the driver for a job's backend. A process may be unable to connect, for example because the backend's secret
 * was made with another SECRET_KEY. If the backend may have a job that costs money, the process then retries for up to
 * the time that a job may run: if the job were given back, it would be bought again.
 * @throws EngineFailure, `outcome_unknown` if the job was bought
 */
async function findDriver(
  backend: string,
  { route, arrival, signal, pauses, dependencies }: DriverSearch,
): Promise<Driver> {
  const isBought = route.cost !== undefined && arrival.isPossible;
  const patientUntil = performance.now() + runSecondsOf(route) * 1_000;
  for (;;) {
    try {
      return await persist(() => dependencies.driverOf(backend), signal);
    } catch (error) {
      if (!isBought || !(error instanceof EngineFailure)) throw error;
      if (performance.now() > patientUntil)
        throw new EngineFailure(error.message, {
          blame: error.blame,
          code: 'outcome_unknown',
          sent: 'unknown',
          cause: error,
        });
      dependencies.log.warn({ err: error, backend }, 'a job that was sent waits for its backend');
      await sleep(pauses.askAgain, undefined, { signal });
    }
  }
}

/**
 * Turns an error into the end of its job. A bought job is not given back for want of space: it would be bought again.
 */
function endBy(
  error: unknown,
  { route, stage, arrival }: Pick<Job, 'route' | 'arrival'> & { stage: FailureStage },
): SubmissionEnd {
  const isBought = route.cost !== undefined && arrival.isPossible;
  if (isOutOfSpace(error) && !isBought) return { type: 'given_back', excused: true };
  if (error instanceof Drained) return { type: 'given_back', excused: false, unsent: error.unsent };
  return failedEnd(error, route, { stage, isBought });
}

/**
 * Marks a route as unfit for a backend, or lets the backend rest. Does neither for a user's bad value or an unknown
 * outcome.
 */
async function blame(database: Database, claim: Claim, failure: EngineFailure): Promise<void> {
  if (failure.blame === 'pair' && !failure.tooLarge)
    await recordUnfit(database, claim, { code: 'sample_failed', message: failure.message });
  if (failure.blame === 'backend' && failure.code !== 'outcome_unknown')
    await restBackend(database, claim.backend, failure);
}

/**
 * Makes the outputs. Once the engine may have the job, a temporary error of the database, the storage or the disk does
 * not end it: a job that is given back would be bought again. Retries for up to the time that a job may run.
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
