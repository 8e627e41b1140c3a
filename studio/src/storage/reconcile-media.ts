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

/** The longest pause: a reconciliation reads all names and lists the whole storage. */
const maxPauseSeconds = 6 * 60 * 60;
/** After a process was killed during a reconciliation, another may begin after this time. */
const heldSeconds = 30 * 60;
const holdEveryMs = 5 * 60_000;
/** After this time, the loop reports that it is alive and continues. */
const ordinaryRoundMs = 60_000;
/** A failed reconciliation starts again from the beginning, which costs a listing. */
const maxPauseMs = 10 * 60_000;

/** Starts a loop that reconciles regularly, in rounds of limited length, however long a reconciliation takes. */
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
      // Cleared now: if this round ends early, the next round begins a new reconciliation.
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

/** Runs one reconciliation from beginning to end, if it is due. */
export async function reconcileMedia(
  dependencies: ReconciliationDependencies,
  graceSeconds: number,
): Promise<void> {
  for await (const _ of reconcileInSteps(dependencies, graceSeconds));
}

/**
 * Removes files that no row names and unfinished files, once they are older than the grace: they come from killed
 * processes or are unknown to a restored database. `names-store.ts` lists the rows that name files. Only one process
 * does this at a time, at intervals. Runs in steps of a page or a folder. After a failure, the reconciliation is due
 * again at once.
 */
async function* reconcileInSteps(
  { database, storage, log }: ReconciliationDependencies,
  graceSeconds: number,
): AsyncGenerator<void> {
  const every = Math.min(graceSeconds, maxPauseSeconds);
  const times = { every, held: Math.min(every, heldSeconds) };
  if (!(await takeReconciliation(database, times))) return;
  try {
    // Taken before the names are read: then every file of this age that is named at all has its name among them.
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
    // If this fails too, the reconciliation is due when the hold expires.
    await holdReconciliation(database, { every, held: 0 }).catch(() => undefined);
    throw error;
  }
}

/**
 * Removes one folder. The next reconciliation retries a folder that cannot be removed; other folders continue. @throws
 * when the storage or the database is unavailable
 */
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
