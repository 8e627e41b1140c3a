import { Readable } from 'node:stream';
import { RateFloor } from './rate-floor.ts';
import { readAhead } from './read-ahead.ts';

/**
 * The minimum average rate over each whole window. Only time spent waiting for the sender counts. `rate-floor.ts`
 * measures it; each caller has its own numbers.
 */
export type Pace = { minBytesPerSecond: number; windowMs: number };

/** The sender disconnected, stopped sending or was too slow. */
export class SenderLost extends Error {
  override name = 'SenderLost';
}

/**
 * Yields what a client sends, while it arrives fast enough. When the caller stops reading, the connection stays open
 * for the answer.
 * @throws SenderLost
 */
export async function* pacedBody(
  source: Readable | AsyncIterable<Buffer>,
  pace: Pace,
): AsyncGenerator<Buffer> {
  let giveUp: (error: SenderLost) => void = () => undefined;
  using floor = new RateFloor(pace.minBytesPerSecond, pace.windowMs, () =>
    giveUp(new SenderLost('the body came too slowly')),
  );
  const chunks: AsyncIterator<Buffer> =
    source instanceof Readable ? readAhead(source) : source[Symbol.asyncIterator]();
  for (;;) {
    floor.wait();
    // Creates a new promise for each chunk: one promise for all chunks would keep all of them in memory.
    const next = await new Promise<IteratorResult<Buffer>>((resolve, reject) => {
      giveUp = reject;
      chunks
        .next()
        .then(resolve, (cause: unknown) => reject(new SenderLost('the body ended too soon', { cause })));
    });
    floor.received(next.done === true ? 0 : next.value.length);
    if (next.done === true) return;
    yield next.value;
  }
}
