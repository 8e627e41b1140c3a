import type { IncomingMessage, ServerResponse } from 'node:http';
import { RateFloor } from '../egress/rate-floor.ts';
import type { Pace } from './paced-body.ts';

/** The body is larger than the route takes. What is left of it stays unread. */
export class BodyTooLarge extends Error {
  override name = 'BodyTooLarge';
}

/** The client went away, or fell silent, in the middle of its body. */
export class BodyCutShort extends Error {
  override name = 'BodyCutShort';
}

/** Bodies announced to be larger than this get their memory at once. */
const announcedBytes = 256 * 1024;

/**
 * Reads a body of at most `limit` bytes; a longer Content-Length is refused before a byte is read. With a pace, one
 * that comes slower is cut short.
 * @throws BodyTooLarge
 * @throws BodyCutShort
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
  pace?: Pace,
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit)
    return Promise.reject(new BodyTooLarge(`the body is larger than ${limit} bytes`));
  if (request.headers.expect !== undefined) response.writeContinue();
  return new Promise((resolve, reject) => {
    const announced = Number(request.headers['content-length'] ?? 0);
    // A large body is written where it will lie: pieces to be put together would need its memory twice.
    const whole = announced > announcedBytes ? Buffer.allocUnsafeSlow(announced) : undefined;
    const chunks: Buffer[] = [];
    let size = 0;
    // Later, not now: a floor that is disposed while it judges would go on.
    const tooSlow = () => void setImmediate(onCut);
    const floor =
      pace === undefined ? undefined : new RateFloor(pace.minBytesPerSecond, pace.windowMs, tooSlow);
    floor?.wait();
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) return end(() => reject(new BodyTooLarge(`the body is larger than ${limit} bytes`)));
      if (whole === undefined) chunks.push(chunk);
      else chunk.copy(whole, size - chunk.length);
      floor?.received(chunk.length);
      floor?.wait();
    };
    const onEnd = () =>
      end(() =>
        resolve(whole ?? (chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size))),
      );
    const onCut = (cause?: unknown) =>
      end(() => reject(new BodyCutShort('the body ended too soon', { cause })));
    const end = (settle: () => void) => {
      floor?.[Symbol.dispose]();
      request.off('data', onData).off('end', onEnd).off('close', onCut);
      // The listener for errors stays: one without a listener would end the process.
      if (!request.readableEnded) request.pause();
      settle();
    };
    request.on('data', onData).on('end', onEnd).on('close', onCut).on('error', onCut);
  });
}
