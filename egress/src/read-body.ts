import type { RateFloor } from '@renderkit/server-kit/http/rate-floor.ts';
import { unlessAborted } from '@renderkit/server-kit/work/unless-aborted.ts';
import { EgressRefusal } from './egress-refusal.ts';
import { translateError, type Exchange } from './exchange.ts';

export interface ReadOptions {
  maxResponseBytes: number;
  /** `cut`: the body ends where it must, and that is no failure. `refuse`: a body is whole or a failure. */
  whenLarger: 'cut' | 'refuse';
  /** Takes the bytes as they come; the next are read when it is done. */
  onChunk: (chunk: Buffer) => void | Promise<void>;
  floor: RateFloor | null;
  signal: AbortSignal;
}

/**
 * Reads a body within its bounds; true when it was cut. Throws EgressRefusal `too_large`, `protocol`, `timeout`,
 * `too_slow` or `aborted` (none of them with `cut`), and whatever `onChunk` throws.
 */
export async function readBody(answer: Exchange, options: ReadOptions): Promise<boolean> {
  const { maxResponseBytes, whenLarger } = options;
  if (whenLarger === 'refuse' && Number(answer.headers['content-length']) > maxResponseBytes)
    throw tooLarge();
  try {
    return await readChunks(answer.body[Symbol.asyncIterator](), options);
  } catch (error) {
    if (whenLarger === 'cut' && error instanceof EgressRefusal) return true;
    throw error;
  }
}

async function readChunks(chunks: AsyncIterator<Buffer>, options: ReadOptions): Promise<boolean> {
  let left = options.maxResponseBytes;
  for (;;) {
    const chunk = await nextChunk(chunks, options);
    if (chunk === null) return false;
    const taken = chunk.subarray(0, left);
    if (taken.length < chunk.length && options.whenLarger === 'refuse') throw tooLarge();
    left -= taken.length;
    await unlessAborted(Promise.resolve(options.onChunk(taken)), options.signal);
    if (taken.length < chunk.length) return true;
  }
}

async function nextChunk(
  chunks: AsyncIterator<Buffer>,
  { floor, signal }: ReadOptions,
): Promise<Buffer | null> {
  floor?.wait();
  try {
    const next = await unlessAborted(chunks.next(), signal);
    floor?.received(next.done === true ? 0 : next.value.length);
    return next.done === true ? null : next.value;
  } catch (error) {
    throw translateError(error, signal);
  }
}

function tooLarge(): EgressRefusal {
  return new EgressRefusal('too_large', 'The body is larger than allowed.');
}
