import type { KeyObject } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { withTemporaryDirectory } from '@renderkit/media-kit/temporary-directory.ts';
import { makeThumbnail } from '@renderkit/media-kit/thumbnail.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { StudioError } from '../errors.ts';
import { keepFiles } from '../storage/keep-files.ts';
import type { Storage } from '../storage/blob-storage.ts';
import { aspectRatioOf } from './aspect-ratio.ts';
import { insertAsset, type SavedFrame, type VideoRow } from './store.ts';

export type FrameDependencies = {
  database: Database;
  storage: Storage;
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
 * Keeps a still as an item of the library, with a file of its own that stays when the video goes. Returns the item.
 * @throws StudioError
 */
export async function saveFrame(
  { account, project, video, timeMs, frame }: FrameToSave,
  dependencies: FrameDependencies,
): Promise<SavedFrame> {
  const thumbnail = await withTemporaryDirectory(async (directory) => {
    const png = path.join(directory, 'frame.png');
    await writeFile(png, frame.bytes);
    return makeThumbnail(png, { type: 'image', durationSeconds: null }, dependencies.stopping);
  });
  const id = newId('ast_');
  const saved = await keepFiles(
    {
      owner: id,
      files: [
        { name: `${id}.png`, chunks: [frame.bytes] },
        { name: 'thumb.webp', chunks: [thumbnail.bytes] },
      ],
    },
    dependencies,
    async (transaction, [key = '', thumbKey = '']) => {
      const inserted = await insertAsset(transaction, {
        id,
        account,
        project,
        type: 'image',
        generationType: 'frame',
        key,
        thumbKey,
        contentType: 'image/png',
        sizeBytes: frame.bytes.length,
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
