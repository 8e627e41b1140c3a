import { extractFrame } from '@renderkit/media-kit/extract-frame.ts';
import { MediaToolError } from '@renderkit/media-kit/media-tool-error.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { createLimiter } from '@renderkit/server-kit/work/limiter.ts';
import { StudioError } from '../errors.ts';
import { keepFiles } from '../storage/keep-files.ts';
import { requireNotFull } from '../storage/reserve.ts';
import type { ItemDependencies } from './keep-item.ts';
import { saveFrame } from './save-frame.ts';
import { findFrame, findSavedFrame, findVideo, insertFrame, type FrameRow, type VideoRow } from './store.ts';

export type FrameCall = {
  account: string;
  video: string;
  /** Seconds from the start. */
  time: number | 'last';
  /** The project in which to keep the frame as an item of the library; `null` keeps no item. */
  project: string | null;
};

const takenAtOnce = 2;
const waitingAtMost = 50;
const busyRetrySeconds = 2;

/**
 * Creates a function that takes frames of videos, two at a time. The same video and millisecond have the same link
 * while the video exists and somebody requests the frame (`keptWhenAsked` in `store.ts`). In a project, the frame is an
 * item with a separate file and link, one for each project and time. All frames count towards the account's storage.
 * @throws StudioError
 */
export function createFrameTaker(
  dependencies: ItemDependencies,
): (call: FrameCall) => Promise<{ key: string; assetId: string | null }> {
  const { database } = dependencies;
  const limited = createLimited();
  return async ({ account, video: id, time, project }) => {
    const video = await findVideo(database, account, id, project);
    if (video === undefined) throw new StudioError('not_found', 'There is no such video in the library.');
    if (!video.own_project) throw new StudioError('not_found', 'The account has no such project.');
    const timeMs = momentOf(time, video);
    if (project === null) {
      const frame =
        (await findFrame(database, id, timeMs)) ??
        (await limited(() => take(account, video, timeMs, dependencies)));
      return { key: frame.storage_key, assetId: null };
    }
    const item =
      (await findSavedFrame(database, { project, video: id, timeMs })) ??
      (await limited(async () => {
        const frame = await extract(account, video, timeMs, dependencies);
        return saveFrame({ account, project, video, timeMs, frame }, dependencies);
      }));
    return { key: item.key, assetId: item.id };
  };
}

/** Returns milliseconds. A time after the end becomes the end. */
function momentOf(time: number | 'last', { duration }: VideoRow): number {
  const endMs = Math.ceil((duration ?? 0) * 1000);
  return time === 'last' ? endMs : Math.min(Math.round(time * 1000), endMs);
}

async function take(
  account: string,
  video: VideoRow,
  timeMs: number,
  dependencies: ItemDependencies,
): Promise<FrameRow> {
  const { database } = dependencies;
  // Another call may have taken the frame while this call waited.
  const known = await findFrame(database, video.id, timeMs);
  if (known !== undefined) return known;
  const extracted = await extract(account, video, timeMs, dependencies);
  const id = newId('frm_');
  const outcome = await keepFiles(
    { owner: id, files: { media: { name: `${id}.png`, chunks: [extracted.bytes] } } },
    dependencies,
    async (transaction, { media }) => {
      const frame = {
        storage_key: media.key,
        width: extracted.width,
        height: extracted.height,
        size_bytes: media.sizeBytes,
      };
      const inserted = await insertFrame(transaction, { ...frame, account, video: video.id, timeMs });
      return { named: inserted === 'stored', frame, inserted };
    },
  );
  if (outcome.inserted === 'gone') throw goneMeanwhile();
  if (outcome.inserted === 'stored') return outcome.frame;
  const first = await findFrame(database, video.id, timeMs);
  if (first === undefined) throw goneMeanwhile();
  return first;
}

async function extract(
  account: string,
  video: VideoRow,
  timeMs: number,
  { database, storage, stopping }: ItemDependencies,
): Promise<Awaited<ReturnType<typeof extractFrame>>> {
  await requireNotFull(database, account);
  const atEnd = timeMs >= Math.ceil((video.duration ?? 0) * 1000);
  const time = atEnd ? 'last' : timeMs / 1000;
  return storage
    .withLocalFile(video.storage_key, (path) => extractFrame(path, time, stopping))
    .catch(async (error: unknown) => {
      if ((await findVideo(database, account, video.id, null)) === undefined) throw goneMeanwhile(error);
      throw busyOr(error);
    });
}

const goneMeanwhile = (cause?: unknown) =>
  new StudioError('not_found', 'The video was deleted meanwhile.', { cause });

/** Turns a timeout into `overloaded`: a busy machine may have time later. */
function busyOr(error: unknown): unknown {
  return error instanceof MediaToolError && (error.kind === 'timeout' || error.kind === 'aborted')
    ? new StudioError('overloaded', 'The frame could not be taken in time.', {
        cause: error,
        retryAfterSeconds: busyRetrySeconds,
      })
    : error;
}

/** @throws StudioError when too many calls wait */
function createLimited(): <T>(work: () => Promise<T>) => Promise<T> {
  const limiter = createLimiter({ slots: takenAtOnce, waitingAtMost });
  return async (work) => {
    using _ = await limiter.enter().catch((cause: unknown) => {
      throw new StudioError('overloaded', 'Too many frames are being taken.', {
        cause,
        retryAfterSeconds: busyRetrySeconds,
      });
    });
    return await work();
  };
}
