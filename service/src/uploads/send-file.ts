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
  /** Made up unless given. */
  id?: string;
  hidden: boolean;
  fileName: string | undefined;
  projectId: string | undefined;
  /** Of its bytes, in hexadecimal, where they are not kept in any other form. */
  sha256?: string;
  /** What is transparent in it is meant as a mask. */
  maskOfAlpha?: boolean;
  /** So many bytes come at least, where that is known. */
  minBytes?: number;
  /** Called when the studio is ready for the bytes. */
  body: () => AsyncIterable<Uint8Array>;
  /**
   * Called when the studio has the file: the project that was named after it, if any. What it throws has the file
   * removed there.
   */
  projectAfter?: () => Promise<string | undefined>;
  signal?: AbortSignal;
};

export type Sent =
  /** As the studio has it, and as it will be shown. */
  | { outcome: 'stored'; row: UploadRow; upload: Extract<StoreUploadAnswer, { outcome: 'stored' }>['upload'] }
  | Exclude<StoreUploadAnswer, { outcome: 'stored' }>;

/** Its project, named after the bytes, is none of the account's. The file is removed. */
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
  /** An upload of the account is in processing: its feed is to be followed. */
  onProcessing: (accountId: string) => void;
  /** Aborts what is under way. */
  stopping: AbortSignal;
  crashPoint?: CrashPoint | undefined;
};

/** The studio's limit for a name, in code points. */
const maxNameCharacters = 255;

/** The studio reports most uploads by itself within moments; what it reported before the row was there is asked for. */
export const initialAskAfterMs = 1_000;

/**
 * Makes the function that sends a file. Its row stands before the first byte leaves, seen by nobody; with the studio's
 * answer it is in processing. Whatever happens in between, the file is removed there: by this process, or by reconcile.ts,
 * which finds the row.
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
    // The studio has the upload: what it does not know, or cannot read as an id, is the project.
    if (cause instanceof StudioFailure && ['not_found', 'invalid_request'].includes(cause.studioCode ?? ''))
      throw new NoSuchProject('the account has no such project', { cause });
    throw cause;
  }
}

/**
 * What cannot be removed now, reconcile.ts finds by its row when the lease has run out. Where the row is in processing
 * after all (the answer of its record was lost), or nobody can say, nothing is removed.
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

/** The process stood still for so long that others took the upload for a dead one's. */
function leaseLost(): StudioFailure {
  return new StudioFailure('unavailable', 'the upload took longer than its lease', {
    maybeSent: true,
    retryAfterSeconds: 1,
  });
}

/**
 * What the studio gets about a file beside its bytes. Names are the client's to choose: what the studio would refuse
 * in one is left out, and where nothing remains it makes up its own.
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

/** Without control characters, halves of surrogate pairs and the like. */
function cleanName(name: string): string {
  return [...name.replaceAll(/\p{C}/gu, '')].slice(0, maxNameCharacters).join('');
}
