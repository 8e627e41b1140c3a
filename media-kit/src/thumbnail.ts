import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { extractFrame } from './extract-frame.ts';
import type { Inspected } from './inspect-file.ts';
import { imageLimits, runMediaJob } from './media-processes.ts';
import { withTemporaryDirectory } from './temporary-directory.ts';

/** Longer side of a thumbnail, in pixels. */
const thumbnailSide = 512;
/** Share of the duration; many videos begin with black. */
const shownAt = 0.1;

export type Thumbnail = { bytes: Buffer; contentType: 'image/webp'; width: number; height: number };

/**
 * Makes a small WebP of an image, or of a video's frame at a tenth of its duration.
 * @throws UnreadableMedia
 * @throws MediaToolError
 */
export async function makeThumbnail(
  file: string,
  { type, durationSeconds }: Pick<Inspected, 'durationSeconds'> & { type: 'image' | 'video' },
  signal: AbortSignal,
): Promise<Thumbnail> {
  if (type === 'image') return shrink(file, signal);
  const frame = await extractFrame(file, (durationSeconds ?? 0) * shownAt, signal);
  return makeThumbnailOf(frame.bytes, signal);
}

/** Makes a small WebP of a JPEG or PNG in memory. @throws UnreadableMedia, MediaToolError */
export async function makeThumbnailOf(image: Uint8Array, signal: AbortSignal): Promise<Thumbnail> {
  return withTemporaryDirectory(async (directory) => {
    const file = path.join(directory, 'image');
    await writeFile(file, image);
    return shrink(file, signal);
  });
}

/**
 * Makes a small JPEG of an image in memory; returns `undefined` where even the lowest quality takes more than
 * `maxBytes`. `contract/studio/progress.ts` has the limits of previews. @throws UnreadableMedia, MediaToolError
 */
export async function makePreviewOf(
  image: Uint8Array,
  { side, maxBytes }: { side: number; maxBytes: number },
  signal: AbortSignal,
): Promise<{ bytes: Buffer; width: number; height: number } | undefined> {
  return withTemporaryDirectory(async (directory) => {
    const file = path.join(directory, 'image');
    await writeFile(file, image);
    const ask = { path: file, side, maxBytes };
    const { bytes, width, height } = await runMediaJob('makePreview', ask, { ...imageLimits, signal });
    return bytes.length === 0 ? undefined : { bytes: Buffer.from(bytes), width, height };
  });
}

async function shrink(image: string, signal: AbortSignal): Promise<Thumbnail> {
  const { bytes, width, height } = await runMediaJob(
    'shrinkImage',
    { path: image, side: thumbnailSide },
    { ...imageLimits, signal },
  );
  return { bytes: Buffer.from(bytes), contentType: 'image/webp', width, height };
}
