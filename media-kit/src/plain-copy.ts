import { open } from 'node:fs/promises';
import { ffmpeg } from './ffmpeg.ts';
import { type Format, readSignature, signatureBytes } from './file-signature.ts';
import { runMediaJob, UnreadableMedia } from './media-processes.ts';
import type { Size } from './media-jobs.ts';

const megabyte = 1024 * 1024;
const limits = { timeoutMs: 10 * 60_000, maxMemoryBytes: 1024 * megabyte };
const maxOutputBytes = 1024 * megabyte;
const probeLimits = { timeoutMs: 20_000, maxMemoryBytes: 400 * megabyte };
/** Limit for sound that is decoded to PCM. */
const maxAudioSeconds = 600;

const noMetadata = ['-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact'];
const mp4 = ['-movflags', '+faststart', '-f', 'mp4', 'out.mp4'];
const h264 = '-c:v libx264 -preset veryfast -crf 18 -profile:v high'.split(' ');
const aac = '-c:a aac -b:a 160k'.split(' ');
/** Profiles of H.264 that every player supports: 8 bits, 4:2:0. */
const plainH264 = /^avc1\.(?:42|4d|58|64)/i;

/**
 * Copies a video without its metadata, as H.264 MP4. Encodes it again only where it is not plain H.264, or where `size`
 * (pixels, even) differs from its own size. `engines/kit/src/finish-outputs.ts` decides the size of results.
 * @throws UnreadableMedia
 * @throws MediaToolError
 */
export async function copyVideo(
  file: string,
  output: string,
  signal: AbortSignal,
  size?: Size,
): Promise<void> {
  const format = await formatOf(file);
  const demuxer = format === 'mp4' || format === 'mov' ? 'mov' : format === 'webm' ? 'matroska' : undefined;
  if (demuxer === undefined) throw new UnreadableMedia('The file is no video that is known here.');
  const probed = demuxer === 'mov' ? await probeVideo(file, format as Format, signal) : undefined;
  const keepsPixels =
    plainH264.test(probed?.codecParameters ?? '') &&
    (size === undefined || (probed?.width === size.width && probed.height === size.height));
  const video = keepsPixels
    ? ['-c:v', 'copy']
    : [...(size ? ['-vf', coverFilter(size)] : evenSides), ...h264];
  await ffmpeg(
    [
      '-f',
      demuxer,
      '-i',
      'in.bin',
      '-map',
      '0:v:0',
      '-map',
      '0:a:0?',
      ...noMetadata,
      ...video,
      ...aac,
      ...mp4,
    ],
    {
      inputs: { 'in.bin': file },
      outputs: { 'out.mp4': output },
      maxOutputBytes,
      ...limits,
      signal,
    },
  );
}

const evenSides = ['-vf', 'crop=trunc(iw/2)*2:trunc(ih/2)*2,setsar=1,format=yuv420p'];
const coverFilter = ({ width, height }: Size) =>
  `scale=${width}:${height}:force_original_aspect_ratio=increase,crop=${width}:${height},setsar=1,format=yuv420p`;

/** Returns the displayed size and the duration of a video. @throws UnreadableMedia, MediaToolError */
export async function probeVideo(
  file: string,
  format: Format,
  signal: AbortSignal,
): Promise<Size & { codecParameters: string | null; durationSeconds: number }> {
  const { video, durationSeconds } = await runMediaJob(
    'probe',
    { path: file, format },
    { ...probeLimits, signal },
  );
  if (video === null) throw new UnreadableMedia('The file has no video track.');
  const { width, height, codecParameters } = video;
  return { width: Math.round(width), height: Math.round(height), codecParameters, durationSeconds };
}

/**
 * Copies audio without its metadata. MP3 and WAV keep their format, M4A becomes WAV. @throws UnreadableMedia,
 * MediaToolError
 */
export async function copyAudio(
  file: string,
  output: string,
  signal: AbortSignal,
): Promise<'audio/wav' | 'audio/mpeg'> {
  const format = await formatOf(file);
  if (format !== 'mp3' && format !== 'wav' && format !== 'm4a')
    throw new UnreadableMedia('The file is no sound that is known here.');
  const isMp3 = format === 'mp3';
  const codec = format === 'm4a' ? ['-c:a', 'pcm_s16le', '-t', String(maxAudioSeconds)] : ['-c:a', 'copy'];
  const muxer = isMp3 ? ['-id3v2_version', '0', '-f', 'mp3', 'out.bin'] : ['-f', 'wav', 'out.bin'];
  await ffmpeg(
    [
      '-f',
      format === 'm4a' ? 'mov' : format,
      '-i',
      'in.bin',
      '-map',
      '0:a:0',
      ...noMetadata,
      ...codec,
      ...muxer,
    ],
    { inputs: { 'in.bin': file }, outputs: { 'out.bin': output }, maxOutputBytes, ...limits, signal },
  );
  return isMp3 ? 'audio/mpeg' : 'audio/wav';
}

/** Detects the format of a file. Only files of engines may be WebM. */
async function formatOf(file: string): Promise<Format | 'webm' | undefined> {
  await using handle = await open(file, 'r');
  const buffer = Buffer.alloc(signatureBytes);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
  const head = buffer.subarray(0, bytesRead);
  if (head.length >= 4 && head.readUInt32BE(0) === 0x1a45dfa3) return 'webm';
  const signature = head.length === 0 ? undefined : readSignature(head);
  return signature !== undefined && 'format' in signature ? signature.format : undefined;
}
