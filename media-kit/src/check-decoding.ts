import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ffmpeg } from './ffmpeg.ts';
import type { Inspected } from './inspect-file.ts';
import { imageLimits, runMediaJob, UnreadableMedia } from './media-processes.ts';
import { MediaToolError, notTheFile } from './media-tool-error.ts';
import { withTemporaryDirectory } from './temporary-directory.ts';
import { UnusableFile } from './unusable-file.ts';

/** Includes the time to load the WebAssembly build on a machine that is busy with renders. */
const streamLimits = { timeoutMs: 120_000, maxMemoryBytes: 1024 * 1024 * 1024 };
/** Frames that are decoded at the start, and from the last key frame a second before the end. */
const decodedFrames = 12;
const maxReportBytes = 256 * 1024;
/** The format is named, so that a file cannot be read as another format. */
const demuxers: Readonly<Record<string, string>> = { mp3: 'mp3', wav: 'wav' };
const demuxerOfBoxes = 'mov';

/**
 * Decodes an inspected file far enough to know that it can be used: a whole image, or the beginning and the end of
 * videos and audio.
 *
 * @throws UnusableFile with a sentence for the person who sent the file
 * @throws MediaToolError when the file could not be checked: aborted, or the tool is missing
 */
export async function checkDecoding(file: string, inspected: Inspected, signal: AbortSignal): Promise<void> {
  try {
    if (inspected.type === 'image')
      await runMediaJob('decodeImage', { path: file }, { ...imageLimits, signal });
    else await decodeEnds(file, inspected, signal);
  } catch (cause) {
    if (cause instanceof MediaToolError && notTheFile.includes(cause.kind)) throw cause;
    if (cause instanceof MediaToolError || cause instanceof UnreadableMedia)
      throw new UnusableFile('broken', sentences[inspected.type], { cause });
    throw cause;
  }
}

const sentences = {
  image: 'The picture cannot be decoded: it is damaged, or made in a way that is not supported.',
  video: 'The video cannot be decoded: it is damaged, or its codec is not supported.',
  audio: 'The sound cannot be decoded: it is damaged, or its codec is not supported.',
} as const;

/** Decodes both ends, because a truncated file has a good start. */
async function decodeEnds(file: string, { type, extension }: Inspected, signal: AbortSignal): Promise<void> {
  const input = ['-f', demuxers[extension] ?? demuxerOfBoxes, '-i', 'in.bin'];
  const stream = type === 'video' ? 'v:0' : 'a:0';
  const report = (index: number, name: string) =>
    `-map ${index}:${stream} -frames:${stream} ${decodedFrames} -f framecrc ${name}`.split(' ');
  await withTemporaryDirectory(async (directory) => {
    const outputs = { 'start.txt': path.join(directory, 'start'), 'end.txt': path.join(directory, 'end') };
    await ffmpeg(
      [
        ...input,
        '-noaccurate_seek',
        '-sseof',
        '-1',
        ...input,
        ...report(0, 'start.txt'),
        ...report(1, 'end.txt'),
      ],
      { inputs: { 'in.bin': file }, outputs, maxOutputBytes: maxReportBytes, ...streamLimits, signal },
    );
    for (const output of Object.values(outputs)) {
      const lines = (await readFile(output, 'latin1')).split('\n');
      if (!lines.some((line) => /^\d/.test(line)))
        throw new MediaToolError('failed', 'Nothing came out of the decoder.');
    }
  });
}
