import { Readable } from 'node:stream';
import { RateFloor } from './rate-floor.ts';
import { readAhead } from './read-ahead.ts';

/** Bytes in a second on average over each whole window; only waiting for the sender counts. */
export type Pace = { minBytesPerSecond: number; windowMs: number };

/** The sender went away, fell silent or was too slow. */
export class SenderLost extends Error {
  override name = 'SenderLost';
}

/**
 * What a client sends, as it comes, as long as it comes fast enough. Who stops reading leaves the connection to the
 * answer. @throws SenderLost
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
    // A promise for each chunk: one that outlived them all would keep them all.
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
