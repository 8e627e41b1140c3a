import { type FileHandle, open } from 'node:fs/promises';
import { checkBoxes } from './check-boxes.ts';
import { checkWave } from './check-wave.ts';
import type { FileLimits } from './file-limits.ts';
import { openReader } from './file-reader.ts';
import { type Format, readSignature, signatureBytes } from './file-signature.ts';
import type { Probed } from './media-jobs.ts';
import { runMediaJob, UnreadableMedia } from './media-processes.ts';
import { MediaToolError, notTheFile } from './media-tool-error.ts';
import { readJpegHeader, readPngHeader } from './read-image-header.ts';
import { UnusableFile } from './unusable-file.ts';

/** The type and properties of a file, according to its bytes. */
export type Inspected = {
  type: 'image' | 'video' | 'audio';
  contentType: string;
  /** Without a dot. */
  extension: string;
  /** Pixels as a viewer shows the file, rotated as the file requires. */
  width: number | null;
  height: number | null;
  durationSeconds: number | null;
  hasAudio: boolean;
};

const megabyte = 1024 * 1024;

const kinds = {
  jpeg: { type: 'image', contentType: 'image/jpeg', extension: 'jpg', name: 'JPEG' },
  png: { type: 'image', contentType: 'image/png', extension: 'png', name: 'PNG' },
  mp4: { type: 'video', contentType: 'video/mp4', extension: 'mp4', name: 'MP4' },
  mov: { type: 'video', contentType: 'video/quicktime', extension: 'mov', name: 'MOV' },
  m4a: { type: 'audio', contentType: 'audio/mp4', extension: 'm4a', name: 'M4A' },
  mp3: { type: 'audio', contentType: 'audio/mpeg', extension: 'mp3', name: 'MP3' },
  wav: { type: 'audio', contentType: 'audio/wav', extension: 'wav', name: 'WAV' },
} as const satisfies Record<Format, object>;

const taken = 'Taken are JPEG, PNG, MP4 and MOV, and for sound MP3, WAV and M4A.';
/** Probing takes a few milliseconds; the time limit allows a process to start on a busy machine. */
const probeLimits = { timeoutMs: 20_000, maxMemoryBytes: 400 * megabyte };

/**
 * Detects what a file is and whether it can be accepted, from its bytes only; ignores names and headers. Reads the
 * whole structure but does not decode pixels and audio: `checkDecoding` does that.
 *
 * @throws UnusableFile with a sentence for the person who sent the file
 * @throws MediaToolError when the file could not be checked: aborted, or no process is available
 */
export async function inspectFile(path: string, limits: FileLimits, signal: AbortSignal): Promise<Inspected> {
  await using handle = await open(path, 'r');
  const format = await readFormat(handle);
  const { size } = await handle.stat();
  const maxBytes = limits[`${kinds[format].type}Bytes`];
  if (size > maxBytes)
    throw new UnusableFile(
      'too_large',
      `The ${kinds[format].name} is too large: it may have ${Math.floor(maxBytes / megabyte)} MB at most.`,
    );
  if (format === 'jpeg' || format === 'png') return await inspectImage(handle, format, limits);
  const reader = await openReader(handle);
  if (format === 'wav') await checkWave(reader);
  else if (format !== 'mp3') await checkBoxes(reader);
  return validateTracks(await probe(path, format, signal), format, limits);
}

async function readFormat(handle: FileHandle): Promise<Format> {
  const buffer = Buffer.alloc(signatureBytes);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
  if (bytesRead === 0) throw new UnusableFile('empty', 'The file is empty.');
  const signature = readSignature(buffer.subarray(0, bytesRead));
  if (signature === undefined)
    throw new UnusableFile('unknown_type', `The file is of no type that is known here. ${taken}`);
  if ('refused' in signature)
    throw new UnusableFile('unsupported_type', `The file is ${signature.refused}. ${taken}`);
  return signature.format;
}

async function inspectImage(
  handle: FileHandle,
  format: 'jpeg' | 'png',
  limits: FileLimits,
): Promise<Inspected> {
  const reader = await openReader(handle);
  const header = await (format === 'jpeg' ? readJpegHeader(reader) : readPngHeader(reader));
  const onItsSide = header.orientation >= 5;
  const width = onItsSide ? header.height : header.width;
  const height = onItsSide ? header.width : header.height;
  checkSize({ width, height }, { pixels: limits.imagePixels, side: limits.imageSide }, kinds[format].name);
  return { ...describe(format), width, height, durationSeconds: null, hasAudio: false };
}

function validateTracks(probed: Probed, format: Format, limits: FileLimits): Inspected {
  const { type, name } = kinds[format];
  const { video, audio, durationSeconds, maxTrackSeconds } = probed;
  if (type === 'video' && video === null)
    throw new UnusableFile('no_video_track', `The ${name} has no video track.`);
  if (type === 'audio' && audio === null)
    throw new UnusableFile('no_audio_track', `The ${name} has no audio.`);
  if (!Number.isFinite(durationSeconds) || durationSeconds <= 0)
    throw new UnusableFile('broken', `The ${name} has no length.`);
  if (type === 'audio')
    return { ...describe(format), width: null, height: null, durationSeconds, hasAudio: true };
  if (!(maxTrackSeconds <= limits.videoSeconds))
    throw new UnusableFile(
      'too_long',
      `The ${name} is too long: it may last ${limits.videoSeconds} seconds at most.`,
    );
  const size = { width: Math.round(video?.width ?? 0), height: Math.round(video?.height ?? 0) };
  checkSize(size, { pixels: limits.videoPixels, side: limits.videoSide }, name);
  return { ...describe(format), ...size, durationSeconds, hasAudio: audio !== null };
}

function describe(format: Format): Pick<Inspected, 'type' | 'contentType' | 'extension'> {
  const { type, contentType, extension } = kinds[format];
  return { type, contentType, extension };
}

function checkSize(
  { width, height }: { width: number; height: number },
  limits: { pixels: number; side: number },
  name: string,
): void {
  const size = `${width}×${height} pixels`;
  if (!(width > 0 && height > 0)) throw new UnusableFile('broken', `The ${name} has no size.`);
  if (Math.max(width, height) > limits.side)
    throw new UnusableFile(
      'side_too_long',
      `The ${name} has ${size}; a side may have ${limits.side} at most.`,
    );
  if (width * height > limits.pixels)
    throw new UnusableFile(
      'too_many_pixels',
      `The ${name} has ${size}; it may have ${Math.floor(limits.pixels / 1_000_000)} million in all.`,
    );
}

async function probe(path: string, format: Format, signal: AbortSignal): Promise<Probed> {
  try {
    return await runMediaJob('probe', { path, format }, { ...probeLimits, signal });
  } catch (cause) {
    if (cause instanceof MediaToolError && notTheFile.includes(cause.kind)) throw cause;
    if (cause instanceof MediaToolError || cause instanceof UnreadableMedia)
      throw new UnusableFile(
        'broken',
        `The ${kinds[format].name} is damaged, or made in a way that is not supported.`,
        { cause },
      );
    throw cause;
  }
}
