import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import { type BlobStorage, folderOf } from './blob-storage.ts';
import { findUnnamed } from './check-media.ts';
import { removeUnnamedFolder } from './orphan-folders.ts';
import { takeSweep } from './store.ts';

/** A sweep lists the whole storage. */
const maxPauseSeconds = 6 * 60 * 60;

/**
 * Removes what nothing names and what never became a blob, once it is older than the grace: what a process left behind that
 * was killed at the wrong moment, and what a restored database knows nothing of. By one process at a time, now and then.
 */
export async function sweepMedia(
  { database, storage, log }: { database: Database; storage: BlobStorage; log: Logger },
  { graceSeconds, stopping }: { graceSeconds: number; stopping: AbortSignal },
): Promise<void> {
  if (!(await takeSweep(database, Math.min(graceSeconds, maxPauseSeconds)))) return;
  const before = new Date(Date.now() - graceSeconds * 1_000);
  let removed = 0;
  for await (const keys of findUnnamed(database, storage, before))
    for (const folder of new Set(keys.map(folderOf))) {
      stopping.throwIfAborted();
      if (await removeUnnamedFolder(database, storage, folder)) removed++;
    }
  const unfinished = await storage.removeUnfinished(before);
  if (removed + unfinished > 0)
    log.warn({ folders: removed, unfinished }, 'media that nothing names were removed');
}
