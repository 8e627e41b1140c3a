import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ffmpeg } from '../../src/ffmpeg.ts';

/** Makes one file with ffmpeg from words such as `-f lavfi -i sine`; the extension selects the format. */
export async function makeMedia(words: string, extension: string): Promise<Buffer> {
  const directory = await mkdtemp(path.join(tmpdir(), 'renderkit-corpus-'));
  try {
    const output = path.join(directory, 'made');
    await ffmpeg([...words.split(' '), `out.${extension}`], {
      inputs: {},
      outputs: { [`out.${extension}`]: output },
      signal: new AbortController().signal,
      timeoutMs: 120_000,
      maxOutputBytes: 50_000_000,
    });
    return await readFile(output);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Makes the value once, when it is first requested. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

/** Returns random-looking bytes that are the same each time. */
export function noise(length: number, seed = 0x2545f491): Buffer {
  const bytes = Buffer.alloc(length);
  let state = seed >>> 0;
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[index] = state >>> 24;
  }
  return bytes;
}
