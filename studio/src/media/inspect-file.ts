import { readFile } from 'node:fs/promises';
import sharp from 'sharp';

/** What a file is, by its bytes. */
export type Inspected = {
  type: 'image' | 'video' | 'audio';
  contentType: string;
  extension: string;
  /** Pixels, as a viewer shows it. */
  width: number | null;
  height: number | null;
  durationSeconds: number | null;
  hasAudio: boolean;
};

export type FileLimits = {
  imageBytes: number;
  videoBytes: number;
  audioBytes: number;
};

const megabyte = 1024 * 1024;
export const fileLimits: FileLimits = {
  imageBytes: 50 * megabyte,
  videoBytes: 500 * megabyte,
  audioBytes: 50 * megabyte,
};

export class UnusableFile extends Error {
  override name = 'UnusableFile';
  readonly reason: 'empty' | 'unsupported_type' | 'side_too_long';

  constructor(reason: UnusableFile['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

export async function inspectFile(
  path: string,
  _limits: FileLimits,
  _signal: AbortSignal,
): Promise<Inspected> {
  const bytes = await readFile(path);
  const png = bytes.toString('latin1', 1, 4) === 'PNG';
  if (!png && bytes.readUInt16BE(0) !== 0xffd8)
    throw new UnusableFile('unsupported_type', 'The file is neither a JPEG nor a PNG.');
  const { width, height } = await sharp(bytes).metadata();
  return {
    type: 'image',
    contentType: png ? 'image/png' : 'image/jpeg',
    extension: png ? 'png' : 'jpg',
    width,
    height,
    durationSeconds: null,
    hasAudio: false,
  };
}
