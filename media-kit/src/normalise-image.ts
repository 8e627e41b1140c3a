import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { imageLimits, runMediaJob } from './media-processes.ts';
import { withTemporaryDirectory } from './temporary-directory.ts';

const defaultMaxPixels = 50_000_000;

/** Four bytes per pixel (red, green, blue, alpha), row by row, sRGB, not premultiplied by alpha. */
export type RgbaImage = { width: number; height: number; bytes: Buffer };

/**
 * Returns a JPEG or PNG as a viewer shows it. Handles CMYK, 16 bits, grey, palettes and rotation by EXIF. Scales an
 * image with more than `maxPixels` down.
 * @throws UnreadableMedia
 * @throws MediaToolError
 */
export async function normaliseImage(
  file: string,
  signal: AbortSignal,
  maxPixels = defaultMaxPixels,
): Promise<RgbaImage> {
  return withTemporaryDirectory(async (directory) => {
    // Through a file, because a message of 200 MB would be in memory four times.
    const output = path.join(directory, 'pixels');
    const size = await runMediaJob(
      'writeRgba',
      { path: file, output, maxPixels },
      { ...imageLimits, signal },
    );
    return { ...size, bytes: await readFile(output) };
  });
}
