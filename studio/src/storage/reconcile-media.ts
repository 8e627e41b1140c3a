import { type Database, isDatabaseUnavailable } from '@renderkit/server-kit/db/database.ts';
import { isStorageUnavailable } from '@renderkit/server-kit/files/file-errors.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { startBatchLoop } from '@renderkit/server-kit/work/batch-loop.ts';
import type { Loop, LoopOptions } from '@renderkit/server-kit/work/loop.ts';
import { type BlobStorage, folderOf } from '@renderkit/blob-storage/blob-storage.ts';
import { findUnnamed } from './find-unnamed.ts';
import { removeUnnamedFolder } from './orphan-folders.ts';
import { holdReconciliation, takeReconciliation } from './store.ts';

type ReconciliationDependencies = { database: Database; storage: BlobStorage; log: Logger };

/** A reconciliation reads all names and lists the whole storage. */
const maxPauseSeconds = 6 * 60 * 60;
/** A process that was killed meanwhile lets another begin after this. */
const heldSeconds = 30 * 60;
const holdEveryMs = 5 * 60_000;
/** Then the loop says that it lives, and goes on. */
const ordinaryRoundMs = 60_000;
/** A reconciliation that fails is begun anew, and that costs a listing. */
const maxPauseMs = 10 * 60_000;

/** Reconciles now and then, in rounds that end however long it takes. */
export function startMediaReconciliation(
  dependencies: ReconciliationDependencies,
  {
    graceSeconds,
    roundMs = ordinaryRoundMs,
    ...options
  }: { graceSeconds: number; roundMs?: number } & Omit<LoopOptions, 'name' | 'run'>,
): Loop {
  let underWay: AsyncGenerator<void> | undefined;
  return startBatchLoop({
    ...options,
    name: 'media reconciliation',
    maxPauseMs,
    round: async (stopping) => {
      const steps = (underWay ??= reconcileInSteps(dependencies, graceSeconds));
      // Whatever ends this round early, the next begins a new one.
      underWay = undefined;
      const deadline = performance.now() + roundMs;
      do {
        stopping.throwIfAborted();
        if ((await steps.next()).done === true) return false;
      } while (performance.now() < deadline);
      underWay = steps;
      return true;
    },
  });
}

/** One reconciliation from its beginning to its end, where it is due. */
export async function reconcileMedia(
  dependencies: ReconciliationDependencies,
  graceSeconds: number,
): Promise<void> {
  for await (const _ of reconcileInSteps(dependencies, graceSeconds));
}

/**
 * Removes what nothing names and what never became a blob, once it is older than the grace: what a process left behind that
 * was killed at the wrong moment, and what a restored database knows nothing of. By one process at a time, now and then; in steps of
 * a page or a folder. One that fails is given back, so that it is due at once.
 */
async function* reconcileInSteps(
  { database, storage, log }: ReconciliationDependencies,
  graceSeconds: number,
): AsyncGenerator<void> {
  const every = Math.min(graceSeconds, maxPauseSeconds);
  const times = { every, held: Math.min(every, heldSeconds) };
  if (!(await takeReconciliation(database, times))) return;
  try {
    // Before the names are read: what was there by now and is named at all is named by one of them.
    const before = new Date(Date.now() - graceSeconds * 1_000);
    const removed = { folders: 0, failed: 0, unfinished: 0 };
    let held = performance.now();
    for await (const keys of findUnnamed(database, storage, before))
      for (const folder of [undefined, ...new Set(keys.map(folderOf))]) {
        if (folder !== undefined) await removeOne({ database, storage, log }, folder, removed);
        if (performance.now() - held > holdEveryMs) {
          await holdReconciliation(database, times);
          held = performance.now();
        }
        yield;
      }
    removed.unfinished = await storage.removeUnfinished(before);
    if (removed.folders + removed.unfinished > 0) log.warn(removed, 'media that nothing names were removed');
    await holdReconciliation(database, { every, held: every });
  } catch (error) {
    // Where not even this succeeds it is due when it is held no longer.
    await holdReconciliation(database, { every, held: 0 }).catch(() => undefined);
    throw error;
  }
}

/** One that cannot be removed is tried again by the next reconciliation, and keeps no other. @throws where storage or database are away */
async function removeOne(
  { database, storage, log }: ReconciliationDependencies,
  folder: string,
  removed: { folders: number; failed: number },
): Promise<void> {
  try {
    if (await removeUnnamedFolder(database, storage, folder)) removed.folders++;
  } catch (error) {
    if (isStorageUnavailable(error) || isDatabaseUnavailable(error)) throw error;
    removed.failed++;
    log.warn({ folder, err: error }, 'media that nothing names cannot be removed');
  }
}
