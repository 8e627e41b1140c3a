import type { IncomingMessage } from 'node:http';
import { yieldEventLoop } from '../work/yield-event-loop.ts';
import { freeBytes } from './byte-buffer.ts';
import { type JsonLimits, JsonScan, type ScannedJson } from './json-scan.ts';
import type { Pace } from './paced-body.ts';
import { RateFloor } from './rate-floor.ts';
import { drainBody, ChunkCounter } from './request-body.ts';

/** The body is larger than the route accepts. The rest of the body stays unread. */
export class BodyTooLarge extends Error {
  override name = 'BodyTooLarge';
}

/** The body arrives in far more pieces than it needs. The rest of the body stays unread. */
export class BodyTooFragmented extends Error {
  override name = 'BodyTooFragmented';
}

/** The client disconnected or stopped sending before the end of its body. */
export class BodyCutShort extends Error {
  override name = 'BodyCutShort';
}

/**
 * Bytes of a body that are read before other requests get their turn. Without this limit, Node reads up to 2 MB from
 * the kernel for each connection of a fast client before it handles anything else.
 */
const bytesInATurn = 64 * 1024;

export type BodyOptions = {
  /** The minimum pace. A slower body fails with `BodyCutShort`. */
  pace?: Pace | undefined;
  /** True for a large body: processing it leaves most of the event loop to other requests. */
  large?: boolean | undefined;
};

/**
 * Passes a body of at most `limit` bytes to `take` while it arrives. Refuses a longer Content-Length before reading any
 * byte. Fails when the body is slower than `pace`. When `take` throws, the rest of the body is skipped and the promise
 * rejects.
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
    // Ends later, not now: a `RateFloor` that is disposed during its measurement would continue.
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
      // Bytes that the sender has sent already arrive before this. Reading them does not count as waiting.
      setImmediate(() => {
        if (!ended && size === before) floor?.wait();
      });
    };
    const onData = (chunk: Buffer) => {
      // `take` may free the chunk, so the length is read first.
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
      // An error without a listener would end the process. This listener keeps nothing of the body in memory while the
      // answer is prepared.
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
 * Reads a JSON body, and validates it while it arrives. `service/src/validation/read-json-body.ts` sets the limits for
 * the API. Returns `undefined` when there is no body. `bytes` is its length.
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
