import type { KeyObject } from 'node:crypto';
import { makeThumbnailOf } from '@renderkit/media-kit/thumbnail.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { StudioError } from '../errors.ts';
import { keepFiles } from '../storage/keep-files.ts';
import type { BlobStorage } from '@renderkit/blob-storage/blob-storage.ts';
import { aspectRatioOf } from './aspect-ratio.ts';
import { insertAsset, type SavedFrame, type VideoRow } from './store.ts';

export type FrameDependencies = {
  database: Database;
  storage: BlobStorage;
  mediaKey: KeyObject;
  stopping: AbortSignal;
};

export type FrameToSave = {
  account: string;
  project: string;
  video: VideoRow;
  timeMs: number;
  /** A PNG. */
  frame: { bytes: Buffer; width: number; height: number };
};

/**
 * Keeps a frame as an item of the library, with a file of its own that stays when the video goes. Returns the item.
 * @throws StudioError
 */
export async function saveFrame(
  { account, project, video, timeMs, frame }: FrameToSave,
  dependencies: FrameDependencies,
): Promise<SavedFrame> {
  const thumbnail = await makeThumbnailOf(frame.bytes, dependencies.stopping);
  const id = newId('ast_');
  const saved = await keepFiles(
    {
      owner: id,
      files: {
        media: { name: `${id}.png`, chunks: [frame.bytes] },
        thumbnail: { name: 'thumb.webp', chunks: [thumbnail.bytes] },
      },
    },
    dependencies,
    async (transaction, kept) => {
      const inserted = await insertAsset(transaction, {
        id,
        account,
        project,
        type: 'image',
        generationType: 'frame',
        key: kept.media.key,
        thumbKey: kept.thumbnail.key,
        contentType: 'image/png',
        sizeBytes: kept.media.sizeBytes,
        width: frame.width,
        height: frame.height,
        durationSeconds: null,
        aspectRatio: aspectRatioOf(frame),
        nsfw: video.nsfw,
        promptId: null,
        prompt: video.prompt,
        frame: { video: video.id, timeMs },
      });
      return { named: inserted.outcome === 'stored', inserted };
    },
  );
  if (saved.inserted.outcome === 'gone')
    throw new StudioError('not_found', 'The project was deleted meanwhile.');
  return saved.inserted.item;
}
