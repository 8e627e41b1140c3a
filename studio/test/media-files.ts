// Creates real files for tests.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ffmpeg } from '@renderkit/media-kit/ffmpeg.ts';
import sharp from 'sharp';

export const makeImage = (
  options: { format?: 'png' | 'jpeg'; width?: number; height?: number; colour?: string } = {},
): Promise<Buffer> => {
  const { format = 'png', width = 96, height = 64, colour = '#33aa77' } = options;
  return sharp({ create: { width, height, channels: 3, background: colour } })
    .toFormat(format)
    .toBuffer();
};

/** Writes a moving test image in H.264, or the sound of a bell, and returns its bytes. */
export async function makeMedia(
  directory: string,
  name: `${string}.${'mp4' | 'mov' | 'wav' | 'm4a'}`,
  options: { seconds?: number; size?: string; rate?: number } = {},
): Promise<Buffer> {
  const { seconds = 1, size = '128x96', rate = 8 } = options;
  const target = path.join(directory, name);
  const isAudio = /\.(wav|m4a)$/.test(name);
  const extension = name.split('.').at(-1);
  await ffmpeg(
    [
      '-f',
      'lavfi',
      '-i',
      isAudio
        ? `sine=frequency=440:duration=${seconds}`
        : `testsrc=size=${size}:rate=${rate}:duration=${seconds}`,
      ...(isAudio ? [] : ['-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-movflags', '+faststart']),
      `out.${extension}`,
    ],
    {
      inputs: {},
      outputs: { [`out.${extension}`]: target },
      signal: new AbortController().signal,
      timeoutMs: 60_000,
      maxOutputBytes: 50_000_000,
    },
  );
  return readFile(target);
}
