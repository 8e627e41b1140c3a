import { type KeyObject, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Engine, EngineError } from '@renderkit/engine-kit/engine.ts';
import { isOutOfSpace } from '@renderkit/engine-kit/out-of-space.ts';
import { type Database, isDatabaseUnavailable, isWorthRetrying } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { Catalog } from '../catalog/open-catalog.ts';
import { BlobMissing, type BlobStorage, withLocalFiles } from '../storage/blob-storage.ts';
import { mediaFolder } from '../storage/media-folder.ts';
import { engineRequest, goneMessage, mediaOf } from './engine-request.ts';
import { maxAttempts, type RenderQueue } from './queue.ts';
import { storeOutput } from './store-output.ts';
import {
  excuseAttempt,
  findForgottenRenders,
  findMaterials,
  findUsedUp,
  finishRender,
  type MadeAsset,
  type StartedRender,
  startRender,
} from './store.ts';

export type RunDependencies = {
  database: Database;
  storage: BlobStorage;
  mediaKey: KeyObject;
  catalog: Catalog;
  engines: Engine[];
  renders: Pick<RenderQueue, 'enqueue'>;
  /** Tells the account's readers, after commit. */
  announce: (account: string) => void;
  log: Logger;
  crashPoint?: ((name: string) => void | Promise<void>) | undefined;
};

export type LostDependencies = Pick<
  RunDependencies,
  'database' | 'storage' | 'mediaKey' | 'announce' | 'log'
>;

type Failure = { code: string; message: string };

const initialPostponeSeconds = 5;
const maxPostponeSeconds = 60;
/** Three days of a full disk. */
const maxExcused = 3 * 24 * 60;

/**
 * One try at a render: draws, stores, and ends it in one fenced transaction. Throws where another try may succeed;
 * the job queue then gives it one, until the last has been. A try that found the disk full does not count, and another
 * job comes later.
 */
export async function runRender(
  render: string,
  signal: AbortSignal,
  dependencies: RunDependencies,
): Promise<void> {
  const { database, log, crashPoint } = dependencies;
  const started = await persist(() => startRender(database, render, maxAttempts), signal);
  // Finished meanwhile, or its tries are used up.
  if (started === undefined) return failUsedUpRender(render, dependencies);
  await crashPoint?.('render: started');
  const made: MadeAsset[] = [];
  let failure: Failure | undefined;
  try {
    await draw(started, signal, dependencies, made);
    await crashPoint?.('render: drawn');
  } catch (error) {
    signal.throwIfAborted();
    if (isOutOfSpace(error) && started.excused < maxExcused)
      return postpone(started, error, signal, dependencies);
    const hopeless = error instanceof EngineError && error.code !== 'render_failed';
    log.warn({ err: error, render, attempt: started.attempt }, 'a try at a render failed');
    if (!hopeless && started.attempt - started.excused < maxAttempts) throw error;
    failure = translateFailure(error);
  }
  const partial = made.length > 0 && (failure !== undefined || made.length < started.expected_outputs);
  const finished = await persist(
    () =>
      finishRender(database, {
        render,
        attempt: started.attempt,
        status: made.length > 0 ? 'succeeded' : 'failed',
        error: partial
          ? {
              code: 'partial_failure',
              message: `${made.length} of ${started.expected_outputs} outputs were made.`,
            }
          : (failure ?? null),
        assets: made,
      }),
    signal,
  );
  await crashPoint?.('render: finished');
  if (finished !== undefined) dependencies.announce(finished.account_id);
  const kept = finished !== undefined && made.length > 0;
  await removeTries(
    started,
    kept ? [1, started.attempt - 1] : [started.attempt, started.attempt],
    dependencies,
  );
}

/** Draws anew once there may be space again: what this try has written is removed, and a later job takes its place. */
async function postpone(
  started: StartedRender,
  error: unknown,
  signal: AbortSignal,
  dependencies: RunDependencies,
): Promise<void> {
  const { id: render, attempt, lane, excused } = started;
  const startAfterSeconds = Math.min(initialPostponeSeconds * 2 ** excused, maxPostponeSeconds);
  dependencies.log.warn(
    { err: error, render, attempt, startAfterSeconds },
    'a render waits for room on the disk',
  );
  await removeTries(started, [attempt, attempt], dependencies);
  // Made once: where a commit stayed unconfirmed, the same job is found to be there.
  const job = randomUUID();
  await persist(
    () =>
      dependencies.database.transaction(async (transaction) => {
        if (await excuseAttempt(transaction, { render, attempt, job }))
          await dependencies.renders.enqueue(transaction, lane, [
            { id: job, render, priority: 0, startAfterSeconds },
          ]);
      }),
    signal,
  );
}

async function failUsedUpRender(render: string, dependencies: LostDependencies): Promise<void> {
  const attempt = await findUsedUp(dependencies.database, render, maxAttempts);
  if (attempt !== undefined) await failLostRender(render, dependencies, attempt);
}

/**
 * Ends a render whose workers died on every try: failed, refunded, told.
 * @param attempt only where this is still its last; null fences out whoever may be at it
 */
export async function failLostRender(
  render: string,
  dependencies: LostDependencies,
  attempt: number | null = null,
): Promise<void> {
  const finished = await finishRender(dependencies.database, {
    render,
    attempt,
    status: 'failed',
    error: { code: 'render_lost', message: 'The render was lost several times and given up.' },
    assets: [],
  });
  if (finished === undefined) return;
  dependencies.announce(finished.account_id);
  await removeTries(finished, [1, finished.attempt], dependencies);
}

const forgottenAfterMinutes = 10;
const forgottenPerRound = 100;

/** Ends renders that no job stands for any more. Returns how many. */
export async function failForgottenRenders(dependencies: LostDependencies): Promise<number> {
  const { database, log } = dependencies;
  const renders = await findForgottenRenders(database, forgottenAfterMinutes, forgottenPerRound);
  for (const render of renders) {
    log.error({ render }, 'a render had lost its job and is given up');
    await failLostRender(render, dependencies);
  }
  return renders.length;
}

/** Draws into `made`, output by output, so that what was finished before a failure is kept. */
async function draw(
  started: StartedRender,
  signal: AbortSignal,
  dependencies: RunDependencies,
  made: MadeAsset[],
): Promise<void> {
  const { request, model_version: version } = started;
  const { database, storage, catalog } = dependencies;
  const snapshot = catalog.current();
  const id = request?.model ?? '';
  const model = version === null ? snapshot.models.get(id) : await catalog.version(id, version);
  const engine = dependencies.engines.find((one) => one.id === model?.routes[0]?.engine);
  if (request === null || model === undefined || engine === undefined)
    throw new EngineError('unknown_model', 'The model is no longer offered.');
  const materials = await findMaterials(database, started.account_id, mediaOf(request));
  const keys = materials.files.map(({ storage_key }) => storage_key);
  await withLocalFiles(storage, keys, async (paths) => {
    const asked = engineRequest(started, request, model, { ...materials, paths, snapshot });
    for await (const file of engine.render(asked, signal)) {
      signal.throwIfAborted();
      made.push(await storeOutput(started, file, model.offered.nsfw, dependencies));
    }
  }).catch((error: unknown) => {
    if (error instanceof BlobMissing)
      throw new EngineError('unreadable_reference', goneMessage, { cause: error });
    throw error;
  });
}

/** Removes what tries, from the first to the last of these, left in the storage. */
async function removeTries(
  render: { id: string; expected_outputs: number },
  [first, last]: [number, number],
  { storage, mediaKey, log }: LostDependencies,
): Promise<void> {
  try {
    for (let attempt = first; attempt <= last; attempt++)
      for (let position = 0; position < render.expected_outputs; position++)
        await storage.removeFolder(mediaFolder(mediaKey, render.id, attempt, position));
  } catch (error) {
    log.warn({ err: error, render: render.id }, 'files of an unsuccessful try could not be removed');
  }
}

function translateFailure(error: unknown): Failure {
  if (error instanceof EngineError && error.code !== 'render_failed')
    return { code: error.code, message: error.message };
  return { code: 'render_failed', message: 'The engine could not finish this render.' };
}

const retryPausesMs = [100, 300, 1_000, 2_000, 3_000];
const maxRetryPauseMs = 5_000;

/**
 * Neither a try nor an image that is drawn is lost because the database restarts, or waits for space on its disk: goes
 * on until it takes the write, or the job's time is over.
 */
async function persist<T>(write: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await write();
    } catch (error) {
      if (signal.aborted || (!isDatabaseUnavailable(error) && !isWorthRetrying(error))) throw error;
      // Told to end it tries once more: the database may be back just now.
      await sleep(retryPausesMs[tries] ?? maxRetryPauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
