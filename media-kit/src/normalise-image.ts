import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { imageLimits, runMediaJob } from './media-processes.ts';
import { withTemporaryDirectory } from './temporary-directory.ts';

const defaultMaxPixels = 50_000_000;

/** Four bytes per pixel (red, green, blue, alpha), row by row, sRGB, not multiplied by alpha. */
export type RgbaImage = { width: number; height: number; bytes: Buffer };

/**
 * A JPEG or PNG as a viewer shows it, whatever it is inside: CMYK, 16 bits, grey, a palette, turned by EXIF. One with
 * more than `maxPixels` comes smaller.
 * @throws UnreadableMedia
 * @throws MediaToolError
 */
export async function normaliseImage(
  file: string,
  signal: AbortSignal,
  maxPixels = defaultMaxPixels,
): Promise<RgbaImage> {
  return withTemporaryDirectory(async (directory) => {
    // By way of a file: a message of 200 MB would be in memory four times.
    const output = path.join(directory, 'pixels');
    const size = await runMediaJob(
      'writeRgba',
      { path: file, output, maxPixels },
      { ...imageLimits, signal },
    );
    return { ...size, bytes: await readFile(output) };
  });
}
