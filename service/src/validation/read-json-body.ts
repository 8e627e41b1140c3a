import type { IncomingMessage, ServerResponse } from 'node:http';
import { jsonBodyBytes, jsonDepth } from '@renderkit/contract/v1/limits.ts';
import { BodyCutShort, BodyTooLarge, readBody } from '@renderkit/server-kit/http/read-body.ts';
import { JsonRefused, parseStrictJson } from '@renderkit/server-kit/http/strict-json.ts';
import type { FieldError } from '../problems/api-problem.ts';

const jsonMediaType = /^application\/json[ \t]*(;[ \t]*charset="?utf-8"?[ \t]*)?$/i;

/** Bodies larger than ordinary ones that are held in memory at once, in this process. */
const largeBodiesAtOnce = 4;

export type JsonBodyReader = (
  request: IncomingMessage,
  response: ServerResponse,
  limitBytes: number,
  errors: FieldError[],
) => Promise<unknown>;

/**
 * Makes the function that reads JSON bodies; it lets a few large ones into memory at a time. What is wrong with a
 * body is added to `errors`; undefined comes back where there is none, or none that can be read.
 */
export function createJsonBodyReader(): JsonBodyReader {
  const enter = createGate(largeBodiesAtOnce);
  return async (request, response, limitBytes, errors) => {
    if (!hasBody(request)) return undefined;
    const refuse = (message: string, field = 'body') => void errors.push({ field, message });
    if (!jsonMediaType.test(request.headers['content-type'] ?? ''))
      return refuse('must be JSON, sent with Content-Type: application/json');
    if (request.headers['content-encoding'] !== undefined)
      return refuse('must be sent without a Content-Encoding');
    const mayBeLarge =
      limitBytes > jsonBodyBytes && !(Number(request.headers['content-length']) <= jsonBodyBytes);
    const leave = mayBeLarge ? await enter() : undefined;
    try {
      const bytes = await readBody(request, response, limitBytes);
      if (bytes.length === 0) return undefined;
      return parseStrictJson(bytes, { maxDepth: jsonDepth, maxSearchedForRepeats: jsonBodyBytes });
    } catch (error) {
      if (error instanceof BodyTooLarge) return refuse(`must not be larger than ${limitBytes} bytes`);
      if (error instanceof BodyCutShort) return refuse('ended before its time');
      if (error instanceof JsonRefused)
        return refuse(error.message, error.path === '' ? undefined : error.path);
      throw error;
    } finally {
      leave?.();
    }
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** Lets so many in at once; the others wait in line. What it gives back is to be called on leaving. */
function createGate(places: number): () => Promise<() => void> {
  let inside = 0;
  const line: (() => void)[] = [];
  const leave = () => {
    const next = line.shift();
    // The place goes on to the next in line.
    if (next === undefined) inside--;
    else next();
  };
  return async () => {
    if (inside < places) inside++;
    else await new Promise<void>((resolve) => line.push(resolve));
    return leave;
  };
}
