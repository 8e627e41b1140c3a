import type { IncomingMessage } from 'node:http';
import { yieldEventLoop } from '../work/yield-event-loop.ts';
import { freeBytes } from './byte-buffer.ts';
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
 * So much of a body is read before other requests get their turn. What a fast client has sent lies in the kernel, and Node reads
 * 2 MB of it, of each connection, before it looks at anything else.
 */
const bytesInATurn = 64 * 1024;

export type BodyOptions = {
  /** What comes slower is cut short. */
  pace?: Pace | undefined;
  /** A large one: what is done with it as it comes leaves most of the event loop to others. */
  large?: boolean | undefined;
};

/**
 * Hands on a body of at most `limit` bytes as it comes; a longer Content-Length is refused before a byte is read. With
 * a pace, one that comes slower is cut short. Where `take` throws, the rest is passed over and the promise rejects.
 * @throws BodyTooLarge
 * @throws BodyTooFragmented
 * @throws BodyCutShort
 */
export function readBody(
  request: IncomingMessage,
  { limit, take, pace, large = false }: BodyOptions & { limit: number; take: (bytes: Buffer) => void },
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
    let ended = false;
    let turnBegan = 0;
    let tookMs = 0;
    const nextTurn = () => {
      if (ended) return;
      request.resume();
      const before = size;
      // What the sender has sent already comes before this: it is not waited for.
      setImmediate(() => {
        if (!ended && size === before) floor?.wait();
      });
    };
    const onData = (chunk: Buffer) => {
      // Whoever takes the chunk may free it.
      const { length } = chunk;
      size += length;
      if (size > limit) return end(tooLarge());
      if (!pieces.add(length)) return end(new BodyTooFragmented('the body comes in too many pieces'));
      const began = performance.now();
      try {
        take(chunk);
      } catch (error) {
        end(error as Error);
        return drainBody(request);
      }
      tookMs += performance.now() - began;
      floor?.received(length);
      if (size - turnBegan < bytesInATurn) return floor?.wait();
      turnBegan = size;
      request.pause();
      if (large) void yieldEventLoop(tookMs).then(nextTurn);
      else setImmediate(nextTurn);
      tookMs = 0;
      return undefined;
    };
    const onEnd = () => end();
    const onCut = (cause?: unknown) => end(new BodyCutShort('the body ended too soon', { cause }));
    const end = (error?: Error) => {
      ended = true;
      floor?.[Symbol.dispose]();
      request.off('data', onData).off('end', onEnd).off('close', onCut).off('error', onCut);
      // One without a listener would end the process; this one keeps nothing of the body while the answer is waited for.
      request.on('error', ignored);
      if (!request.readableEnded) request.pause();
      if (error === undefined) resolve();
      else reject(error);
    };
    request.on('data', onData).on('end', onEnd).on('close', onCut).on('error', onCut);
  });
}

const ignored = () => undefined;

/**
 * Reads a JSON body, and validates it as it comes. Undefined where there is none. `bytes` is how long it was.
 * @throws InvalidJson
 * @throws BodyTooLarge
 * @throws BodyTooFragmented
 * @throws BodyCutShort
 */
export async function readJson(
  request: IncomingMessage,
  { limitBytes, json, ...options }: BodyOptions & { limitBytes: number; json: JsonLimits },
): Promise<(ScannedJson & { bytes: number }) | undefined> {
  const announced = request.headers['content-length'];
  const scan = new JsonScan(json, announced === undefined ? undefined : Number(announced));
  let bytes = 0;
  await readBody(request, {
    limit: limitBytes,
    ...options,
    take: (chunk) => {
      bytes += chunk.length;
      scan.add(chunk);
      freeBytes(chunk);
    },
  });
  return bytes === 0 ? undefined : { ...scan.end(), bytes };
}
