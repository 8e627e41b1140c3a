import { setTimeout as sleep } from 'node:timers/promises';
import { kindFacts, outputsOf } from '@renderkit/contract/studio/kinds.ts';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { checkRoutesSoon } from '../backends/check-routes.ts';
import type { CatalogModel } from '../catalog/catalog-model.ts';
import {
  findNewestSample,
  findSample,
  findSamplesUnderWay,
  giveSampleUp,
  insertSample,
  notifyJobs,
  type SampleRow,
  stopSampleRender,
} from './sample-store.ts';
import { waitingOf } from './waiting.ts';

/**
 * Has the workers make one generation with a version of a model, published or not, that no account asked for. It is
 * claimed, continued and counted like any other. `studio/sql/functions/keep_sample.sql` keeps its image and time with
 * the version. Returns its id, `undefined` if the model is retired.
 */
export async function startSample(
  database: Database,
  model: CatalogModel,
  { request, mayCost }: { request: RenderRequest; mayCost: boolean },
): Promise<string | undefined> {
  const id = newId('rnd_');
  const { kind } = request;
  const isBegun = await insertSample(database, {
    id,
    prompt: newId('prm_'),
    lane: kindFacts[kind].lane,
    request,
    version: model.version,
    outputs: outputsOf(model.offered, kind),
    waiting: waitingOf(model, request, id),
    mayCost,
  });
  if (!isBegun) return undefined;
  // The routes of a version that is not offered have not been checked yet.
  await checkRoutesSoon(database, model);
  await notifyJobs(database);
  return id;
}

/**
 * Returns the state of the newest sample of a version, `undefined` if none was ever requested. `reason`: in an
 * operator's words.
 */
export async function readSample(
  database: Database,
  { id, version }: { id: string; version: number },
): Promise<{ state: 'queued' | 'running' | 'succeeded' | 'failed'; reason: string | null } | undefined> {
  const render = await findNewestSample(database, id, version);
  const row = render === undefined ? undefined : await findSample(database, render);
  if (row === undefined) return undefined;
  const { status, obstacle } = row;
  const waitsFor = row.is_stopped ? stoppingWords : obstacle;
  return { state: status, reason: status === 'failed' ? whyFailed(row) : waitsFor };
}

const stoppingWords = 'It is being stopped.';

/** In an operator's words. */
function whyFailed({ is_stopped: isStopped, reason, message }: SampleRow): string {
  return isStopped ? 'It was stopped.' : (reason ?? message ?? 'It could not be made.');
}

/**
 * `ended`: nothing runs any more. `stopping`: the engine is asked to stop, and the sample ends once the engine releases
 * it.
 */
export type StoppedSample = { version: number; outcome: 'ended' | 'stopping' };

/**
 * Stops the samples of a model that are in progress: of one version and those that make the same, or of all. From the
 * commit on nothing that they make is kept, not even by an engine that cannot stop.
 */
export async function stopSamples(
  transaction: Transaction,
  { id, version }: { id: string; version?: number | undefined },
): Promise<StoppedSample[]> {
  const stopped: StoppedSample[] = [];
  for (const sample of await findSamplesUnderWay(transaction, id, version ?? null))
    stopped.push({ version: sample.version, outcome: await stopSampleRender(transaction, sample.id) });
  if (stopped.length > 0) await notifyJobs(transaction);
  return stopped;
}

export type SampleEnd =
  /** `seconds`: of the whole generation; `withLoading`: the engine had to load weights for it. */
  | { made: true; seconds: number; withLoading: boolean }
  /** In an operator's words. */
  | { made: false; reason: string };

/** `backend` runs the sample; `null` while it waits for one. */
export type SampleProgress = { backend: string | null };

const lookEveryMs = 500;

/**
 * Waits for a sample. A sample that no backend has begun when the time is over is given up. A running sample goes on,
 * and its result is still kept with its version. The callers set `withinMs`:
 * `studio/src/administration/draft-handlers.ts` for the console, `stack/src/operator/offer-added.ts` for the command
 * line. `onLook` is called at each look.
 */
export async function followSample(
  database: Database,
  id: string,
  {
    withinMs,
    onLook,
    signal,
  }: { withinMs: number; onLook: (at: SampleProgress) => void; signal: AbortSignal },
): Promise<SampleEnd> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const row = await findSample(database, id);
    if (row === undefined) throw new Error(`the sample ${id} is gone`);
    const { status, attempt, backend, obstacle } = row;
    if (status === 'succeeded')
      return { made: true, seconds: row.seconds ?? 0, withLoading: row.with_loading };
    if (status === 'failed') return { made: false, reason: whyFailed(row) };
    if (obstacle !== null) {
      await giveSampleUp(database, id, attempt, obstacle);
      return { made: false, reason: obstacle };
    }
    if (performance.now() >= deadline) {
      const within = `within ${Math.round(withinMs / 1000)} seconds`;
      if (status === 'running')
        return {
          made: false,
          reason: row.is_stopped
            ? stoppingWords
            : `${backend} did not end it ${within}; it goes on, and model stop-sample ends it.`,
        };
      const reason = row.reason ?? `No backend was free for it ${within}.`;
      await giveSampleUp(database, id, attempt, reason);
      return { made: false, reason };
    }
    onLook({ backend: status === 'running' ? backend : null });
    await sleep(lookEveryMs, undefined, { signal });
  }
}
