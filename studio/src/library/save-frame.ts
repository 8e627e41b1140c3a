import { newId } from '@renderkit/server-kit/ids.ts';
import { StudioError } from '../errors.ts';
import { makeThumbnail } from '../media/thumbnail.ts';
import { keepFiles } from '../storage/keep-files.ts';
import { aspectRatioOf } from './aspect-ratio.ts';
import { type FrameRow, insertAsset, type VideoRow } from './store.ts';
import type { TakeFrameDependencies } from './take-frame.ts';

export type FrameToSave = {
  account: string;
  project: string;
  video: VideoRow;
  timeMs: number;
  frame: FrameRow;
};

/** Keeps a still as an item of the library, with a file of its own that stays when the video goes. Returns its id. */
export async function saveFrame(
  { account, project, video, timeMs, frame }: FrameToSave,
  dependencies: TakeFrameDependencies,
): Promise<string> {
  const { storage, stopping } = dependencies;
  const stored = await storage.open(frame.storage_key);
  const path = storage.pathOf(frame.storage_key);
  if (stored === undefined || path === undefined)
    throw new StudioError('not_found', 'The video was deleted meanwhile.');
  const thumbnail = await makeThumbnail(path, { type: 'image', durationSeconds: null }, stopping);
  const id = newId('ast_');
  const saved = await keepFiles(
    {
      owner: id,
      files: [
        { name: `${id}.png`, chunks: stored.read() },
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
        sizeBytes: stored.sizeBytes,
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
  return saved.inserted.id;
}
