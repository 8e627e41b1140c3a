import type { IncomingMessage, ServerResponse } from 'node:http';
import { jsonBodyBytes, jsonDepth } from '@renderkit/contract/v1/limits.ts';
import { keepOwnPace } from '@renderkit/server-kit/http/own-pace.ts';
import type { Pace } from '@renderkit/server-kit/http/paced-body.ts';
import { BodyCutShort, BodyTooLarge, readBody } from '@renderkit/server-kit/http/read-body.ts';
import { JsonRefused, parseStrictJson } from '@renderkit/server-kit/http/strict-json.ts';
import type { FieldError } from '../problems/api-problem.ts';
import { createLargeBodies, type LargeBodies } from './large-bodies.ts';

const jsonMediaType = /^application\/json[ \t]*(;[ \t]*charset="?utf-8"?[ \t]*)?$/i;

/** A large body that comes slower holds its place for too long. */
const largeBodyPace: Pace = { minBytesPerSecond: 256 * 1024, windowMs: 5_000 };

export type JsonBody = {
  /** Undefined where there is none, or none that can be read. */
  body: unknown;
  /** There where the body is a large one: to be called when nothing of it is needed any more. */
  release?: (() => void) | undefined;
};

export type JsonBodyReader = (
  accountId: string,
  request: IncomingMessage,
  response: ServerResponse,
  limitBytes: number,
  errors: FieldError[],
) => Promise<JsonBody>;

/**
 * Makes the function that reads JSON bodies; it lets a few large ones into memory at a time. What is wrong with a
 * body is added to `errors`.
 */
export function createJsonBodyReader(largeBodies: LargeBodies = createLargeBodies()): JsonBodyReader {
  return async (accountId, request, response, limitBytes, errors) => {
    if (!hasBody(request)) return { body: undefined };
    const refuse = (message: string, field = 'body') => {
      errors.push({ field, message });
      return { body: undefined };
    };
    if (!jsonMediaType.test(request.headers['content-type'] ?? ''))
      return refuse('must be JSON, sent with Content-Type: application/json');
    if (request.headers['content-encoding'] !== undefined)
      return refuse('must be sent without a Content-Encoding');
    const mayBeLarge =
      limitBytes > jsonBodyBytes && !(Number(request.headers['content-length']) <= jsonBodyBytes);
    try {
      if (!mayBeLarge) return { body: parse(await readBody(request, response, limitBytes)) };
      const bytes = Number(request.headers['content-length'] ?? limitBytes);
      if (bytes > limitBytes) throw new BodyTooLarge(`the body is larger than ${limitBytes} bytes`);
      const enter = () => largeBodies.enter(accountId, bytes, response);
      return await readLarge(enter, request, response, limitBytes);
    } catch (error) {
      if (error instanceof BodyTooLarge) return refuse(`must not be larger than ${limitBytes} bytes`);
      if (error instanceof BodyCutShort) return refuse('ended before its time');
      if (error instanceof JsonRefused)
        return refuse(error.message, error.path === '' ? undefined : error.path);
      throw error;
    }
  };
}

/** The wait for a place is not the client's to answer for: its body has a pace to keep instead of a time. */
async function readLarge(
  enter: () => Promise<() => void>,
  request: IncomingMessage,
  response: ServerResponse,
  limitBytes: number,
): Promise<JsonBody> {
  using _ = keepOwnPace(request);
  const release = await enter();
  try {
    const bytes = await readBody(request, response, limitBytes, largeBodyPace);
    if (bytes.length > jsonBodyBytes) return { body: parse(bytes), release };
    const body = parse(bytes);
    release();
    return { body };
  } catch (error) {
    release();
    throw error;
  }
}

function parse(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  return parseStrictJson(bytes, { maxDepth: jsonDepth, maxSearchedForRepeats: jsonBodyBytes });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}
