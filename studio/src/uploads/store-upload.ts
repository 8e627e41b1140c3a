import { createHash, type KeyObject, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Refusal } from '@renderkit/contract/studio/schemas/error.ts';
import type { FileIssue, StudioUpload } from '@renderkit/contract/studio/schemas/upload.ts';
import type { FileLimits } from '@renderkit/media-kit/file-limits.ts';
import { type Inspected, inspectFile } from '@renderkit/media-kit/inspect-file.ts';
import { UnusableFile } from '@renderkit/media-kit/unusable-file.ts';
import { maskOfAlpha } from '@renderkit/media-kit/mask-of-alpha.ts';
import { UnreadableMedia } from '@renderkit/media-kit/media-processes.ts';
import { MediaToolError } from '@renderkit/media-kit/media-tool-error.ts';
import { CommitUnconfirmed, type Database } from '@renderkit/server-kit/db/database.ts';
import { type Pace, SenderLost } from '@renderkit/server-kit/http/paced-body.ts';
import { exemptFromRequestTimeout, mustCloseUnread } from '@renderkit/server-kit/http/request-body.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import type { FastifyReply } from 'fastify';
import type { AccountFacts } from '../authentication/queries.ts';
import type { Catalog } from '../catalog/open-catalog.ts';
import type { Plan } from '../catalog/plans.ts';
import { StudioError } from '../errors.ts';
import type { Moderation } from '../moderation/moderation.ts';
import type { BlobStorage } from '@renderkit/blob-storage/blob-storage.ts';
import { mediaFolder } from '../storage/media-folder.ts';
import { announceFolder, removeOrphanFolders } from '../storage/orphan-folders.ts';
import { claimFolder } from '../storage/queries.ts';
import { openReservation } from '../storage/reserve.ts';
import type { UploadQueue } from './queue.ts';
import { FileTooLarge, receiveFile } from './receive-file.ts';
import { findBeforeUpload, insertUpload, type NewUpload } from './store.ts';

export type StoreUploadDependencies = {
  database: Database;
  storage: BlobStorage;
  mediaKey: KeyObject;
  uploads: UploadQueue;
  moderation: Moderation;
  catalog: Catalog;
  announce: { job: () => void };
  stopping: AbortSignal;
  fileLimits: FileLimits;
  /** Tests treat senders as slow sooner. */
  pace?: Pace;
  crashPoint?: ((name: string) => void | Promise<void>) | undefined;
};

export type UploadCall = {
  account: AccountFacts;
  token: string;
  fileName: string | undefined;
  project: string | null;
  hidden: boolean;
  /** Whether the transparent parts of the image are meant as a mask. */
  maskOfAlpha: boolean;
  /** The minimum number of bytes, as the sender announced them. */
  minBytes: number;
};

/** `service/src/uploads/file-issues.ts` writes the messages that clients of the API get. */
export type TakenUpload =
  | { outcome: 'stored'; upload: StudioUpload }
  | { outcome: 'unusable'; reason: FileIssue; message: string }
  | { outcome: 'refused'; refusal: Refusal };

// A service that forwards a file checks its sender's pace in shorter windows.
const pace: Pace = { minBytesPerSecond: 256 * 1024, windowMs: 30_000 };
const receivedAtOnce = 64;
const busyRetrySeconds = 1;

/**
 * Creates a function that takes files: streams a file to the storage, checks its bytes, then writes its row together
 * with the job that checks it. A repeated token is answered without reading a byte. At most `receivedAtOnce` files are
 * received in parallel.
 */
export function createUploadTaker(
  dependencies: StoreUploadDependencies,
): (call: UploadCall, request: IncomingMessage, reply: FastifyReply) => Promise<TakenUpload> {
  let receiving = 0;
  return async (call, request, reply) => {
    try {
      const { upload, deleted, own_project } = await findBeforeUpload(dependencies.database, {
        account: call.account.id,
        token: call.token,
        project: call.project,
      });
      if (upload !== null) return { outcome: 'stored', upload };
      if (deleted) throw new StudioError('conflict', 'The upload of this token was deleted.');
      const { capabilities } = await dependencies.catalog.plan(call.account.tier);
      if (!capabilities.uploads) return lacking('files');
      if (!own_project)
        return {
          outcome: 'refused',
          refusal: {
            code: 'unprocessable',
            field: 'project_id',
            message: 'The account has no such project.',
          },
        };
      if (receiving >= receivedAtOnce)
        throw new StudioError('overloaded', 'Too many files are coming in.', {
          retryAfterSeconds: busyRetrySeconds,
        });
      receiving++;
      try {
        return await receive(call, request, capabilities, dependencies);
      } finally {
        receiving--;
      }
    } finally {
      if (mustCloseUnread(request)) reply.header('connection', 'close');
    }
  };
}

async function receive(
  call: UploadCall,
  request: IncomingMessage,
  capabilities: Plan['capabilities'],
  dependencies: StoreUploadDependencies,
): Promise<TakenUpload> {
  const { database, storage, mediaKey, fileLimits, crashPoint } = dependencies;
  const id = newId('upf_');
  const folder = mediaFolder(mediaKey, id, 0, 0);
  await announceFolder(database, folder);
  let orphaned = true;
  try {
    using _ = exemptFromRequestTimeout(request);
    const received = await receiveFile(request, storage, folder, {
      limits: fileLimits,
      pace: dependencies.pace ?? pace,
      minBytes: call.minBytes,
      reserve: (minBytes) => openReservation(database, { account: call.account.id, folder, minBytes }),
    });
    await using file = received.file;
    const { inspected, mask } = await file.withLocalFile(async (path) => {
      const found = await inspectFile(path, fileLimits, dependencies.stopping);
      const wanted = call.maskOfAlpha && found.type === 'image';
      return {
        inspected: found,
        mask: wanted ? await readMask(path, dependencies.stopping) : undefined,
      };
    });
    const refused = lackingFor(inspected, capabilities);
    if (refused !== undefined) return refused;
    const key = mask === undefined ? await file.keep(`${id}.${inspected.extension}`) : `${folder}/${id}.png`;
    if (mask !== undefined) await storage.put(key, [mask]);
    await crashPoint?.('upload: file written');
    const stored = await name(
      {
        id,
        account: call.account.id,
        token: call.token,
        project: call.project,
        type: inspected.type,
        hidden: call.hidden,
        fileName: fileNameOf(call.fileName, inspected),
        key,
        contentType: mask === undefined ? inspected.contentType : 'image/png',
        sizeBytes: mask?.length ?? file.sizeBytes,
        sha256: mask === undefined ? received.sha256 : createHash('sha256').update(mask).digest('hex'),
        width: inspected.width,
        height: inspected.height,
        durationSeconds: inspected.durationSeconds,
        hasAudio: inspected.hasAudio,
      },
      folder,
      dependencies,
    );
    orphaned = !stored.fresh;
    return { outcome: 'stored', upload: stored.upload };
  } catch (error) {
    // The row may exist: the next clean-up checks whether the folder is an orphan.
    if (error instanceof CommitUnconfirmed) orphaned = false;
    return refusedOr(error);
  } finally {
    // The next clean-up removes what cannot be removed now.
    if (orphaned) await removeOrphanFolders(database, storage, [folder]).catch(() => undefined);
  }
}

/** Returns the mask. Reports an undecodable image like any damaged picture. @throws UnusableFile, MediaToolError */
async function readMask(path: string, stopping: AbortSignal): Promise<Buffer | undefined> {
  try {
    return await maskOfAlpha(path, stopping);
  } catch (cause) {
    if (!(cause instanceof UnreadableMedia)) throw cause;
    throw new UnusableFile('broken', 'The picture cannot be decoded: it is damaged.', { cause });
  }
}

/**
 * Writes the row and its job in one transaction. `fresh` is `false` when another call with the same token was first.
 */
async function name(
  upload: NewUpload,
  folder: string,
  { database, uploads, moderation, announce, crashPoint }: StoreUploadDependencies,
): Promise<{ fresh: boolean; upload: StudioUpload }> {
  const startAfterSeconds = await moderation.uploadDelaySeconds(upload.fileName);
  const inserted = await database.transaction(async (transaction) => {
    const outcome = await insertUpload(transaction, upload);
    if (outcome.outcome !== 'stored') return outcome;
    if (!(await claimFolder(transaction, folder)))
      throw new StudioError('overloaded', 'The file took too long.', { retryAfterSeconds: busyRetrySeconds });
    await uploads.enqueue(transaction, { id: randomUUID(), upload: upload.id, startAfterSeconds });
    await crashPoint?.('upload: before the commit');
    return outcome;
  });
  if (inserted.outcome === 'gone')
    throw new StudioError('conflict', 'The upload of this token, or its account, was deleted meanwhile.');
  if (inserted.outcome === 'stored') announce.job();
  await crashPoint?.('upload: after the commit');
  return { fresh: inserted.outcome === 'stored', upload: inserted.upload };
}

const megabyte = 1024 * 1024;

/** Returns an answer when the file is unusable or there is no room for it; throws all other errors. */
function refusedOr(error: unknown): TakenUpload {
  if (error instanceof StudioError && error.code === 'storage_full')
    return {
      outcome: 'refused',
      refusal: {
        code: 'storage_full',
        message: error.message,
        ...(error.storage && { storage: error.storage }),
      },
    };
  if (error instanceof UnusableFile)
    return {
      outcome: 'unusable',
      // The contract has only one word for images that are too big in pixels or sides.
      reason: error.reason === 'side_too_long' ? 'too_many_pixels' : error.reason,
      message: error.message,
    };
  if (error instanceof FileTooLarge)
    return {
      outcome: 'unusable',
      reason: 'too_large',
      message: `The file is too large: files of its kind may have ${Math.floor(error.limitBytes / megabyte)} MB.`,
    };
  if (error instanceof MediaToolError)
    // The studio is stopping, or the machine has no free process.
    throw new StudioError('overloaded', 'The file could not be looked at.', {
      cause: error,
      retryAfterSeconds: busyRetrySeconds,
    });
  if (error instanceof SenderLost)
    throw new StudioError('invalid_request', 'The file did not come to its end, or came too slowly.', {
      cause: error,
    });
  throw error;
}

function lackingFor(
  { type }: Pick<Inspected, 'type'>,
  capabilities: Plan['capabilities'],
): TakenUpload | undefined {
  if (type === 'video' && !capabilities.video_upload) return lacking('videos');
  return type === 'audio' && !capabilities.audio_upload ? lacking('audio files') : undefined;
}

function lacking(what: string): TakenUpload {
  return {
    outcome: 'refused',
    refusal: { code: 'tier_required', message: `The plan does not include uploads of ${what}.` },
  };
}

const maxNameCharacters = 255;

/** Returns the name that the sender gave, without folders and control characters, or a generated name. */
function fileNameOf(given: string | undefined, file: { type: string; extension: string }): string {
  const fileName = (given ?? '')
    .split(/[/\\]/)
    .at(-1)
    ?.replace(/[\p{C}]/gu, '')
    .trim()
    .slice(0, maxNameCharacters);
  return fileName === undefined || fileName === '' || /^\.+$/.test(fileName)
    ? `${file.type}.${file.extension}`
    : fileName;
}
