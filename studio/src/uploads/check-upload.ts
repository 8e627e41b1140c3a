import { randomUUID } from 'node:crypto';
import { checkDecoding } from '@renderkit/media-kit/check-decoding.ts';
import { UnusableFile } from '@renderkit/media-kit/unusable-file.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { Moderation } from '../moderation/moderation.ts';
import { isOutOfSpace } from '@renderkit/engine-kit/out-of-space.ts';
import { removeOrphanFolders } from '../storage/orphan-folders.ts';
import { BlobMissing, type BlobStorage } from '@renderkit/blob-storage/blob-storage.ts';
import type { UploadQueue } from './queue.ts';
import { findOverdueUploads, findUploadToCheck, settleUpload, type UploadToCheck } from './store.ts';

export type CheckDependencies = {
  database: Database;
  storage: BlobStorage;
  moderation: Moderation;
  uploads: Pick<UploadQueue, 'enqueue'>;
  /** Notifies readers of the account's feed, after commit. */
  announce: (account: string) => void;
  log: Logger;
  crashPoint?: ((name: string) => void | Promise<void>) | undefined;
};

const outOfSpaceSeconds = 15;

/**
 * Decodes and moderates an upload, stores the outcome and announces it. Throws when another try may succeed. `queue.ts`
 * has the number of tries. `service/src/generations/settle/settle-uploads.ts` then releases or fails the generations
 * that wait for the upload. `media-kit/src/inspect-file.ts` checked size, type and megapixels while the file arrived.
 */
export async function checkUpload(
  id: string,
  signal: AbortSignal,
  dependencies: CheckDependencies,
): Promise<void> {
  const { database, crashPoint } = dependencies;
  const upload = await findUploadToCheck(database, id);
  if (upload === undefined) return;
  await crashPoint?.('upload: being checked');
  let rejection: string | undefined;
  try {
    rejection = await rejectionOf(upload, signal, dependencies);
  } catch (error) {
    if (!isOutOfSpace(error)) throw error;
    return await checkLater(id, error, dependencies);
  }
  signal.throwIfAborted();
  await settle(
    id,
    rejection === undefined ? { status: 'ready' } : { status: 'rejected', error: rejection },
    dependencies,
  );
}

/**
 * Postpones the check without counting a try, since the disk is full and the file is not at fault.
 * `rejectOverdueUploads` rejects the upload in the end.
 */
async function checkLater(
  id: string,
  error: unknown,
  { database, uploads, log }: Pick<CheckDependencies, 'database' | 'uploads' | 'log'>,
): Promise<void> {
  log.warn({ err: error, upload: id }, 'the check of an upload waits for room on the disk');
  await database.transaction((transaction) =>
    uploads.enqueue(transaction, { id: randomUUID(), upload: id, startAfterSeconds: outOfSpaceSeconds }),
  );
}

/** Stores the outcome and announces it. Removes a rejected file, so that its link stops working. */
async function settle(
  id: string,
  outcome: Parameters<typeof settleUpload>[2],
  { database, storage, announce }: Pick<CheckDependencies, 'database' | 'storage' | 'announce'>,
): Promise<void> {
  const settled = await settleUpload(database, id, outcome);
  if (settled === undefined) return;
  announce(settled.account_id);
  const { orphan_folder: folder } = settled;
  // The next clean-up removes what cannot be removed now.
  if (folder !== null) await removeOrphanFolders(database, storage, [folder]).catch(() => undefined);
}

/** Returns why the file is rejected, as a sentence for its owner. */
async function rejectionOf(
  upload: UploadToCheck,
  signal: AbortSignal,
  { storage, moderation, log }: CheckDependencies,
): Promise<string | undefined> {
  const inspected = {
    type: upload.type,
    contentType: upload.content_type,
    extension: upload.storage_key.split('.').at(-1) ?? '',
    width: upload.width,
    height: upload.height,
    durationSeconds: upload.duration,
    hasAudio: upload.has_audio,
  };
  try {
    await storage.withLocalFile(upload.storage_key, (path) => checkDecoding(path, inspected, signal));
  } catch (error) {
    if (error instanceof BlobMissing) return 'The file is gone.';
    if (!(error instanceof UnusableFile)) throw error;
    log.info({ upload: upload.id, reason: error.reason }, 'an upload could not be decoded');
    return error.message;
  }
  // Audio is only decoded: nothing here can moderate its content.
  if (upload.type === 'audio') return undefined;
  const blocked = await moderation.moderateUpload({ fileName: upload.file_name, sha256: upload.sha256 });
  return blocked && `The file goes against the rules of this studio (${blocked.reason}).`;
}

const overdueAfterMinutes = 15;
const overduePerRound = 100;

/** Rejects uploads that no worker settled in time. Returns how many. */
export async function rejectOverdueUploads(
  dependencies: Pick<CheckDependencies, 'database' | 'storage' | 'announce' | 'log'>,
): Promise<number> {
  const overdue = await findOverdueUploads(dependencies.database, overdueAfterMinutes, overduePerRound);
  for (const id of overdue) {
    dependencies.log.error({ upload: id }, 'an upload was not checked in time and is rejected');
    await settle(id, { status: 'rejected', error: 'The file could not be checked in time.' }, dependencies);
  }
  return overdue.length;
}
