import { makeThumbnailOf } from '@renderkit/media-kit/thumbnail.ts';
import { StudioError } from '../errors.ts';
import { type ItemDependencies, keepItem } from './keep-item.ts';
import type { SavedFrame, VideoRow } from './store.ts';

export type FrameToSave = {
  account: string;
  project: string;
  video: VideoRow;
  timeMs: number;
  /** A PNG. */
  frame: { bytes: Buffer; width: number; height: number };
};

/**
 * Keeps a frame as an item of the library with a separate file, which stays when the video is deleted. Returns the
 * item.
 * @throws StudioError
 */
export async function saveFrame(
  { account, project, video, timeMs, frame }: FrameToSave,
  dependencies: ItemDependencies,
): Promise<SavedFrame> {
  const thumbnail = await makeThumbnailOf(frame.bytes, dependencies.stopping);
  const saved = await keepItem(
    {
      account,
      project,
      type: 'image',
      generationType: 'frame',
      contentType: 'image/png',
      width: frame.width,
      height: frame.height,
      durationSeconds: null,
      nsfw: video.nsfw,
      promptId: null,
      prompt: video.prompt,
      frame: { video: video.id, timeMs },
    },
    { extension: 'png', chunks: [frame.bytes], thumbnail: thumbnail.bytes },
    dependencies,
  );
  if (saved.outcome === 'gone') throw new StudioError('not_found', 'The project was deleted meanwhile.');
  return saved.item;
}
