import { EngineFailure, type EngineJob, type Handle, type Prepared } from '@renderkit/engine-kit/driver.ts';
import { prepareMedia } from '@renderkit/engine-kit/prepare-media.ts';
import { resolveBindings } from '@renderkit/engine-kit/resolve-bindings.ts';
import { onUnknownOf } from '@renderkit/engine-kit/route.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobValues } from './engine-values.ts';
import { Drained, type Job } from './job.ts';
import { persist } from './persist.ts';
import { runSecondsOf } from './run-timeout.ts';
import { isHeldByAnother, recordBegun, recordLost, recordSent, type SentJob } from './submission-store.ts';
import { uniqueTargets } from './unique-targets.ts';

/** Seconds within which an engine must answer whether it takes a job. */
const submitSeconds = 60;

/** Sends the job so that the engine has it exactly once. Returns the engine's handle. */
export async function send(job: Job, values: JobValues): Promise<Handle> {
  const { claim, route, files, folder, signal, draining, arrival, dependencies } = job;
  const { database, crashPoint } = dependencies;
  const resolved = resolveBindings(route, values.values);
  const options = { size: values.working, maskBlur: values.mask?.blur ?? 0, folder, signal };
  const bound = await prepareMedia(resolved, { ...options, imageSize: sizeOf(values.image) });
  const { id, outputs } = claim;
  const unique = uniqueTargets(bound, claim, values.seed);
  const prepared = await prepare(job, { route, files, id, outputs, values: bound, uniqueTargets: unique });
  let sent: SentJob | 'absent' = arrival.isPossible ? await locate(job, prepared) : 'absent';
  while (sent === 'absent') {
    arrival.isPossible = false;
    await crashPoint?.('submission: intended');
    signal.throwIfAborted();
    const begun = draining.aborted ? 'stopped' : await persist(() => recordBegun(database, claim), signal);
    if (begun === 'stopped') throw new Drained('It is not sent any more.', true);
    if (begun === 'taken_over') throw new Error(`submission ${id} was taken over`);
    await crashPoint?.('submission: begun');
    try {
      arrival.isPossible = true;
      sent = { handle: await submitInTime(job, prepared), by: 'answer' };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof EngineFailure && error.sent === 'no') arrival.isPossible = false;
      if (!(error instanceof EngineFailure) || error.sent !== 'unknown') throw error;
      sent = await locate(job, prepared);
    }
  }
  await crashPoint?.('submission: posted');
  const taken = sent;
  const recorded = await persist(() => recordSent(database, claim, taken), signal);
  if (recorded === 'taken_over') throw new Error(`submission ${id} was taken over`);
  if (recorded === 'held') throw nobodyKnows(`${claim.backend} named a job that another submission has.`);
  arrival.isKnown = true;
  return taken.handle;
}

/** Prepares the job at the engine. A job that is not sent yet may be given up meanwhile: preparing it costs nothing. */
async function prepare({ driver, signal, draining, arrival }: Job, job: EngineJob): Promise<Prepared> {
  if (arrival.isPossible) return driver.prepare(job, signal);
  try {
    return await driver.prepare(job, AbortSignal.any([signal, draining]));
  } catch (error) {
    signal.throwIfAborted();
    if (draining.aborted) throw new Drained('It is not sent any more.', true);
    throw error;
  }
}

/** @throws EngineFailure `sent: 'unknown'` if the engine did not answer in time whether it took the job */
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
 * Searches for a job whose fate is unknown, for the time that its route allows. A job that another submission has does
 * not count. Returns `absent` if the engine does not have the job.
 * @throws EngineFailure if the fate stays unknown, or if the job may be sent again
 */
async function locate(job: Job, prepared: Prepared): Promise<SentJob | 'absent'> {
  const { claim, route, driver, signal, pauses, dependencies } = job;
  const policy = onUnknownOf(route);
  for (;;) {
    const found = await driver.find(prepared, claim.id, claim.created_at, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      if (!(error instanceof EngineFailure)) throw error;
      return 'unreachable' as const;
    });
    if (found === 'absent') return found;
    if (typeof found === 'object') {
      const { handle } = found;
      const isHeld = await persist(() => isHeldByAnother(dependencies.database, claim, handle), signal);
      if (!isHeld) return { handle, by: 'search' };
    }
    const lostSeconds = await persist(() => recordLost(dependencies.database, claim), signal);
    if (lostSeconds === undefined) throw new Error(`submission ${claim.id} was taken over`);
    const patience = policy === 'ask' ? runSecondsOf(route) : (2 * dependencies.leaseMs) / 1_000;
    if (policy === 'retry' && (found !== 'unreachable' || lostSeconds >= patience))
      throw new EngineFailure('The fate of the job is unknown; it is sent anew.', {
        blame: 'backend',
        code: 'engine_unavailable',
      });
    if (found === 'unknowable' || lostSeconds >= patience)
      throw nobodyKnows('Nobody can tell what became of the job.');
    await sleep(pauses.askAgain, undefined, { signal });
  }
}

const nobodyKnows = (message: string) =>
  new EngineFailure(message, { blame: 'backend', code: 'outcome_unknown' });
