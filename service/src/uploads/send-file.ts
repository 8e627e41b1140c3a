import type { StudioQuery } from '@renderkit/contract/studio/operations.ts';
import type { StoreUploadAnswer } from '@renderkit/contract/studio/schemas/upload.ts';
import { idPrefixes } from '@renderkit/contract/v1/identifiers.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { Leases } from '@renderkit/server-kit/work/leases.ts';
import type { StudioClient } from '../studio-client/studio-client.ts';
import { StudioFailure } from '../studio-client/studio-failure.ts';
import type { CrashPoint } from '../test-hooks.ts';
import type { UploadRow } from './present.ts';
import { handOver, insertReceiving, recordStored, removeUpload } from './store.ts';

export type FileToSend = {
  accountId: string;
  /** Generated if left out. */
  id?: string;
  hidden: boolean;
  fileName: string | undefined;
  projectId: string | undefined;
  /** SHA-256 of the bytes, in hexadecimal, for files whose bytes are stored in no other form. */
  sha256?: string;
  /** The transparent part of the image is the mask. */
  maskOfAlpha?: boolean;
  /** The smallest possible number of bytes, if known. */
  minBytes?: number;
  /** Called when the studio is ready for the bytes. */
  body: () => AsyncIterable<Uint8Array>;
  /**
   * Called when the studio has the file. Returns the project, if the form named it after the file. If this throws, the
   * file is removed at the studio.
   */
  projectAfter?: () => Promise<string | undefined>;
  signal?: AbortSignal;
};

export type Sent =
  /** The upload for clients (`row`), and the studio's answer (`upload`). */
  | { outcome: 'stored'; row: UploadRow; upload: Extract<StoreUploadAnswer, { outcome: 'stored' }>['upload'] }
  | Exclude<StoreUploadAnswer, { outcome: 'stored' }>;

/** The account has no such project; it was named after the bytes. The file is removed. */
export class NoSuchProject extends Error {
  override name = 'NoSuchProject';
}

/** Sends a file to the studio. @throws StudioFailure, NoSuchProject, and what `body` and `projectAfter` throw */
export type SendFile = (file: FileToSend) => Promise<Sent>;

export type SendFileOptions = {
  database: Database;
  studioClient: Pick<StudioClient, 'call' | 'storeUpload'>;
  leases: Leases;
  log: Logger;
  /** Called when an upload of the account is in processing: the account's feed must be followed. */
  onProcessing: (accountId: string) => void;
  /** Aborts running transfers. */
  stopping: AbortSignal;
  crashPoint?: CrashPoint | undefined;
};

/** The studio's limit for a name, in code points. */
const maxNameCharacters = 255;

/**
 * Milliseconds until the studio is asked about an upload. It reports most uploads itself, but a report may come before
 * the row.
 */
export const initialAskAfterMs = 1_000;

/**
 * Returns a function that sends a file. It writes a row, which no client sees, before the first byte is sent. With the
 * studio's answer the upload is in processing. If sending fails, the file is removed at the studio: by this process, or
 * by reconcile.ts, which finds the row.
 */
export function createSendFile(options: SendFileOptions): SendFile {
  const { database, studioClient, leases, crashPoint } = options;
  return async (file) => {
    const { accountId, hidden, projectId } = file;
    const id = file.id ?? newId(idPrefixes.upload);
    using _ = leases.hold(id);
    await insertReceiving(database, { ...leases, id, accountId, hidden, projectId, sha256: file.sha256 });
    let mayBeThere = false;
    try {
      await crashPoint?.('upload-receiving');
      const answer = await studioClient.storeUpload({
        accountId,
        token: id,
        query: storeQuery(file),
        body: () => {
          mayBeThere = true;
          return file.body();
        },
        signal: AbortSignal.any([options.stopping, ...(file.signal === undefined ? [] : [file.signal])]),
      });
      await crashPoint?.('upload-stored');
      if (answer.outcome !== 'stored') {
        mayBeThere = false;
        await discard(options, { id, accountId, mayBeThere });
        return answer;
      }
      const projectAfter = await file.projectAfter?.();
      if (projectAfter !== undefined)
        await moveToProject(studioClient, { accountId, id, projectId: projectAfter });
      const row = await recordStored(database, {
        owner: leases.owner,
        upload: answer.upload,
        projectId: projectAfter,
        from: 'receiving',
        askAfterMs: initialAskAfterMs,
      });
      if (row === undefined) throw leaseLost();
      await crashPoint?.('upload-recorded');
      options.onProcessing(accountId);
      return { outcome: 'stored', row, upload: answer.upload };
    } catch (error) {
      await discard(options, { id, accountId, mayBeThere });
      throw error;
    }
  };
}

async function moveToProject(
  studioClient: SendFileOptions['studioClient'],
  { accountId, id, projectId }: { accountId: string; id: string; projectId: string },
): Promise<void> {
  try {
    await studioClient.call('moveUpload', {
      accountId,
      params: { token: id },
      body: { project_id: projectId },
    });
  } catch (cause) {
    // The studio has the upload, so the project is what it does not find or cannot parse.
    if (cause instanceof StudioFailure && ['not_found', 'invalid_request'].includes(cause.studioCode ?? ''))
      throw new NoSuchProject('the account has no such project', { cause });
    throw cause;
  }
}

/**
 * Removes a file. If this fails, reconcile.ts finds its row when the lease has expired. Removes nothing where the row
 * is in processing (the answer to its record was lost), or where this is unknown.
 */
async function discard(
  { database, studioClient, leases, log }: SendFileOptions,
  { id, accountId, mayBeThere }: { id: string; accountId: string; mayBeThere: boolean },
): Promise<void> {
  try {
    if (!mayBeThere) return await removeUpload(database, { id, owner: leases.owner });
    const owner = newId('svc_');
    if (!(await handOver(database, { id, from: leases.owner, to: owner })))
      return log.info({ uploadId: id }, 'a file is left: its upload is not in the hands of its sender');
    await studioClient.call('deleteUpload', { accountId, params: { token: id } });
    await removeUpload(database, { id, owner });
  } catch (error) {
    log.info({ uploadId: id, err: error }, 'a file is left to be removed later');
  }
}

/** The process was blocked for so long that others treated the upload as abandoned. */
function leaseLost(): StudioFailure {
  return new StudioFailure('unavailable', 'the upload took longer than its lease', {
    maybeSent: true,
    retryAfterSeconds: 1,
  });
}

/**
 * Returns what the studio gets about a file in addition to its bytes. Clients choose names freely, so parts of a name
 * that the studio would refuse are left out. If nothing remains, the studio chooses a name.
 */
export function storeQuery(file: {
  fileName: string | undefined;
  projectId?: string | undefined;
  hidden: boolean;
  maskOfAlpha?: boolean | undefined;
  minBytes?: number | undefined;
}): StudioQuery<'storeUpload'> {
  const fileName = cleanName(file.fileName ?? '');
  return {
    ...(fileName !== '' && { file_name: fileName }),
    ...(file.projectId !== undefined && { project_id: file.projectId }),
    ...(file.hidden && { hidden: true }),
    ...(file.maskOfAlpha === true && { mask_channel: 'alpha' as const }),
    ...(file.minBytes !== undefined && file.minBytes > 0 && { least_bytes: file.minBytes }),
  };
}

/** Removes control characters, unpaired surrogates and similar characters. */
function cleanName(name: string): string {
  return [...name.replaceAll(/\p{C}/gu, '')].slice(0, maxNameCharacters).join('');
}
