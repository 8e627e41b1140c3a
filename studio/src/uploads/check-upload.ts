import type { Database } from '@renderkit/server-kit/database.ts';
import type { Logger } from '@renderkit/server-kit/logger.ts';
import { checkDecoding } from '../media/check-decoding.ts';
import { UnusableFile } from '../media/inspect-file.ts';
import type { Moderation } from '../moderation/moderation.ts';
import type { Storage } from '../storage/storage.ts';
import { findOverdueUploads, findUploadToCheck, settleUpload, type UploadToCheck } from './store.ts';

export type CheckDependencies = {
  database: Database;
  storage: Storage;
  moderation: Moderation;
  /** Tells the account's readers, after commit. */
  announce: (account: string) => void;
  log: Logger;
  crashPoint?: ((name: string) => void | Promise<void>) | undefined;
};

/** Decodes an upload, judges it, and settles it with the word to its account. Throws where another try may succeed. */
export async function checkUpload(
  id: string,
  signal: AbortSignal,
  dependencies: CheckDependencies,
): Promise<void> {
  const { database, announce, crashPoint } = dependencies;
  const upload = await findUploadToCheck(database, id);
  if (upload === undefined) return;
  await crashPoint?.('upload: being checked');
  const fault = await faultOf(upload, signal, dependencies);
  signal.throwIfAborted();
  const account = await settleUpload(
    database,
    id,
    fault === undefined ? { status: 'ready' } : { status: 'rejected', error: fault },
  );
  if (account !== undefined) announce(account);
}

/** Why it is rejected, as a sentence for its owner. */
async function faultOf(
  upload: UploadToCheck,
  signal: AbortSignal,
  { storage, moderation, log }: CheckDependencies,
): Promise<string | undefined> {
  const path = storage.pathOf(upload.storage_key);
  if (path === undefined) return 'The file is gone.';
  try {
    await checkDecoding(
      path,
      {
        type: upload.type,
        contentType: upload.content_type,
        extension: upload.storage_key.split('.').at(-1) ?? '',
        width: upload.width,
        height: upload.height,
        durationSeconds: upload.duration,
        hasAudio: upload.has_audio,
      },
      signal,
    );
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    log.info({ upload: upload.id, reason: error.reason }, 'an upload could not be decoded');
    return error.message;
  }
  // Sound is only checked: what it says nobody here can judge.
  if (upload.type === 'audio') return undefined;
  const blocked = await moderation.judgeUpload({ fileName: upload.file_name, sha256: upload.sha256 });
  return blocked && `The file goes against the rules of this studio (${blocked.reason}).`;
}

const overdueAfterMinutes = 15;
const overduePerRound = 100;

/** Rejects what no worker could settle in time. Returns how many. */
export async function rejectOverdueUploads({
  database,
  announce,
  log,
}: Pick<CheckDependencies, 'database' | 'announce' | 'log'>): Promise<number> {
  const overdue = await findOverdueUploads(database, overdueAfterMinutes, overduePerRound);
  for (const id of overdue) {
    log.error({ upload: id }, 'an upload was not checked in time and is rejected');
    const account = await settleUpload(database, id, {
      status: 'rejected',
      error: 'The file could not be checked in time.',
    });
    if (account !== undefined) announce(account);
  }
  return overdue.length;
}
