import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ffmpeg } from './ffmpeg.ts';
import { runMediaJob } from './media-processes.ts';
import { withTemporaryDirectory } from './temporary-directory.ts';

const megabyte = 1024 * 1024;
const limits = { timeoutMs: 60_000, maxMemoryBytes: 1024 * megabyte };
const maxPngBytes = 200 * megabyte;
/** Seconds. Half the time between two frames at 250 frames a second. */
const halfAFrame = 0.002;
/** Scales pixels that are not square to square ones, as players show them; the shorter side grows. */
const squarePixels =
  "scale=w='if(gt(sar,1),round(iw*sar),iw)':h='if(gt(sar,1),ih,round(ih/sar))':flags=bicubic+accurate_rnd+full_chroma_int,setsar=1";

const oneRgbPng = '-map 0:v:0 -frames:v 1 -c:v png -pix_fmt rgb24 -f image2 -update 1 out.png'.split(' ');

/**
 * Returns the frame of a video (MP4 or MOV) that a player shows at `time`, in seconds: the last frame that appears at
 * that time or before. `last`, or a time past the end, gives the last frame. Rotates the frame as the video requires.
 *
 * @throws UnreadableMedia
 * @throws MediaToolError
 */
export async function extractFrame(
  videoPath: string,
  time: number | 'last',
  signal: AbortSignal,
): Promise<{ bytes: Buffer; width: number; height: number }> {
  const seconds = time === 'last' ? Number.MAX_SAFE_INTEGER : Math.max(0, time);
  const { appearsAt } = await runMediaJob(
    'findFrame',
    { path: videoPath, time: seconds },
    { ...limits, signal },
  );
  // Seeking finds the first frame at a time or after it.
  const seek =
    appearsAt === undefined ? [] : ['-seek_timestamp', '1', '-ss', (appearsAt - halfAFrame).toFixed(6)];
  const bytes = await withTemporaryDirectory(async (directory) => {
    const png = path.join(directory, 'frame');
    await ffmpeg([...seek, '-f', 'mov', '-i', 'in.mp4', '-vf', squarePixels, ...oneRgbPng], {
      inputs: { 'in.mp4': videoPath },
      outputs: { 'out.png': png },
      maxOutputBytes: maxPngBytes,
      ...limits,
      signal,
    });
    return readFile(png);
  });
  // PNG's header: width and height are the first two numbers of the first chunk.
  return { bytes, width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}
