import type { RateFloor } from '@renderkit/server-kit/http/rate-floor.ts';
import { unlessAborted } from '@renderkit/server-kit/work/unless-aborted.ts';
import { EgressRefusal } from './egress-refusal.ts';
import type { Exchange } from './exchange.ts';
import type { StopSignal } from './stop-signal.ts';

export interface ReadOptions {
  maxResponseBytes: number;
  /**
   * `cut`: the body ends at its limits, and that is no failure. `refuse`: the body arrives completely, or reading
   * fails.
   */
  whenLarger: 'cut' | 'refuse';
  /** Receives the bytes while they arrive. The next bytes are read after it has finished. */
  onChunk: (chunk: Buffer) => void | Promise<void>;
  floor: RateFloor | null;
  stop: StopSignal;
}

/**
 * Reads a body within its limits. Returns true when the body was cut. Throws EgressRefusal `too_large`, `protocol`,
 * `timeout`, `too_slow` or `aborted` (none of them with `cut`), and any error of `onChunk`.
 */
export async function readBody({ body, headers }: Exchange, options: ReadOptions): Promise<boolean> {
  const { maxResponseBytes, whenLarger, floor, stop } = options;
  if (whenLarger === 'refuse' && Number(headers['content-length']) > maxResponseBytes) throw tooLarge();
  try {
    for (let left = maxResponseBytes; ;) {
      if (stop.reason !== undefined) throw stop.reason;
      const chunk = body.read();
      if (chunk === undefined) {
        floor?.wait();
        // A stop breaks the body, which ends the wait.
        await body.arrival();
        continue;
      }
      floor?.received(chunk?.length ?? 0);
      if (chunk === null) return false;
      const taken = chunk.subarray(0, left);
      if (taken.length < chunk.length && whenLarger === 'refuse') throw tooLarge();
      left -= taken.length;
      const done = options.onChunk(taken);
      if (done !== undefined) await unlessAborted(done, stop.signal);
      if (taken.length < chunk.length) return true;
    }
  } catch (error) {
    if (whenLarger === 'cut' && error instanceof EgressRefusal) return true;
    throw error;
  }
}

function tooLarge(): EgressRefusal {
  return new EgressRefusal('too_large', 'The body is larger than allowed.');
}
