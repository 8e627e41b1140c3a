import type { IncomingMessage } from 'node:http';
import { type JsonLimits, JsonScan, type ScannedJson } from './json-scan.ts';
import type { Pace } from './paced-body.ts';
import { RateFloor } from './rate-floor.ts';
import { drainBody, ChunkCounter } from './request-body.ts';

/** The body is larger than the route takes. What is left of it stays unread. */
export class BodyTooLarge extends Error {
  override name = 'BodyTooLarge';
}

/** The body comes in far more pieces than it needs. What is left of it stays unread. */
export class BodyTooFragmented extends Error {
  override name = 'BodyTooFragmented';
}

/** The client went away, or fell silent, in the middle of its body. */
export class BodyCutShort extends Error {
  override name = 'BodyCutShort';
}

/**
 * Hands on a body of at most `limit` bytes as it comes; a longer Content-Length is refused before a byte is read. With
 * a pace, one that comes slower is cut short. Where `take` throws, the rest is passed over and the promise rejects.
 * @throws BodyTooLarge
 * @throws BodyTooFragmented
 * @throws BodyCutShort
 */
export function readBody(
  request: IncomingMessage,
  { limit, take, pace }: { limit: number; take: (bytes: Buffer) => void; pace?: Pace | undefined },
): Promise<void> {
  const tooLarge = () => new BodyTooLarge(`the body is larger than ${limit} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    let size = 0;
    const pieces = new ChunkCounter();
    // Later, not now: a floor that is disposed while it measures would go on.
    const tooSlow = () => void setImmediate(onCut);
    const floor =
      pace === undefined ? undefined : new RateFloor(pace.minBytesPerSecond, pace.windowMs, tooSlow);
    floor?.wait();
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) return end(tooLarge());
      if (!pieces.add(chunk.length)) return end(new BodyTooFragmented('the body comes in too many pieces'));
      try {
        take(chunk);
      } catch (error) {
        end(error as Error);
        return drainBody(request);
      }
      floor?.received(chunk.length);
      floor?.wait();
    };
    const onEnd = () => end();
    const onCut = (cause?: unknown) => end(new BodyCutShort('the body ended too soon', { cause }));
    const end = (error?: Error) => {
      floor?.[Symbol.dispose]();
      request.off('data', onData).off('end', onEnd).off('close', onCut);
      // The listener for errors stays: one without a listener would end the process.
      if (!request.readableEnded) request.pause();
      if (error === undefined) resolve();
      else reject(error);
    };
    request.on('data', onData).on('end', onEnd).on('close', onCut).on('error', onCut);
  });
}

/**
 * Reads a JSON body, and validates it as it comes. Undefined where there is none. `bytes` is how long it was.
 * @throws InvalidJson
 * @throws BodyTooLarge
 * @throws BodyTooFragmented
 * @throws BodyCutShort
 */
export async function readJson(
  request: IncomingMessage,
  { limitBytes, json, pace }: { limitBytes: number; json: JsonLimits; pace?: Pace },
): Promise<(ScannedJson & { bytes: number }) | undefined> {
  const announced = request.headers['content-length'];
  const scan = new JsonScan(json, announced === undefined ? undefined : Number(announced));
  let bytes = 0;
  await readBody(request, {
    limit: limitBytes,
    pace,
    take: (chunk) => {
      bytes += chunk.length;
      scan.add(chunk);
    },
  });
  return bytes === 0 ? undefined : { ...scan.end(), bytes };
}
