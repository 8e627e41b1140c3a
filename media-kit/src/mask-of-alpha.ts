import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { imageLimits, runMediaJob } from './media-processes.ts';
import { withTemporaryDirectory } from './temporary-directory.ts';

/**
 * Returns the transparency of an untrusted image as a mask: a grey PNG that is white where the image is transparent.
 * Returns `undefined` where the image has no alpha channel.
 * @throws UnreadableMedia
 * @throws MediaToolError
 */
export async function maskOfAlpha(file: string, signal: AbortSignal): Promise<Buffer | undefined> {
  return withTemporaryDirectory(async (directory) => {
    const output = path.join(directory, 'mask.png');
    const { hasAlpha } = await runMediaJob(
      'writeMaskOfAlpha',
      { path: file, output },
      { ...imageLimits, signal },
    );
    return hasAlpha ? readFile(output) : undefined;
  });
}
