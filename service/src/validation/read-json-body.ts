import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  jsonBodyBytes,
  jsonContentBytes,
  jsonDepth,
  jsonValues,
  maxJsonNumberCharacters,
} from '@renderkit/contract/v1/limits.ts';
import { type JsonIssue, InvalidJson } from '@renderkit/server-kit/http/invalid-json.ts';
import type { ScannedJson } from '@renderkit/server-kit/http/json-scan.ts';
import type { Pace } from '@renderkit/server-kit/http/paced-body.ts';
import {
  BodyCutShort,
  BodyTooFragmented,
  BodyTooLarge,
  readJson,
} from '@renderkit/server-kit/http/read-body.ts';
import { exemptFromRequestTimeout, sendContinue } from '@renderkit/server-kit/http/request-body.ts';
import type { TextLimits } from '@renderkit/server-kit/http/text-limits.ts';
import type { FieldError } from '../problems/api-problem.ts';
import type { LargeBodies } from './large-bodies.ts';

const jsonMediaType = /^application\/json[ \t]*(;[ \t]*charset="?utf-8"?[ \t]*)?$/i;

const jsonLimits = {
  maxDepth: jsonDepth,
  maxNumberCharacters: maxJsonNumberCharacters,
  maxGatheredBytes: jsonBodyBytes,
};

/** A slower large body would occupy its place for too long. */
const largeBodyPace: Pace = { minBytesPerSecond: 256 * 1024, windowMs: 5_000 };

export type JsonBody = {
  /** `undefined` when there is no body, or when it cannot be read. */
  body: unknown;
  /** Long members of the body, which are handled separately. In the body an empty text replaces each of them. */
  longTexts?: ScannedJson['longTexts'] | undefined;
  /** Errors in the body that its schema may not report. */
  issues?: FieldError[] | undefined;
  /** Set for a large body. The caller must call it when the body is no longer needed. */
  release?: (() => void) | undefined;
};

export type JsonBodyRequest = {
  accountId: string;
  request: IncomingMessage;
  response: ServerResponse;
  limitBytes: number;
  /** The most values in the body, over all levels. */
  maxValues?: number | undefined;
  /** The limits of its texts' lengths. */
  texts: TextLimits;
};

/**
 * Reads a JSON body. A large one waits until `largeBodies` admits it. Adds an error to `errors` when the body cannot be
 * read. `server-kit/src/http/json-scan.ts` checks the depth, the number of values and repeated names.
 */
export async function readJsonBody(
  asked: JsonBodyRequest,
  largeBodies: LargeBodies,
  errors: FieldError[],
): Promise<JsonBody> {
  const { request, limitBytes } = asked;
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
    if (!mayBeLarge) return bodyOf(await read(asked));
    const bytes = Number(request.headers['content-length'] ?? limitBytes);
    if (bytes > limitBytes) throw new BodyTooLarge(`the body is larger than ${limitBytes} bytes`);
    return await readLarge(asked, () => largeBodies.enter(asked.accountId, bytes, asked.response));
  } catch (error) {
    if (error instanceof BodyTooLarge) return refuse(`must not be larger than ${limitBytes} bytes`);
    if (error instanceof BodyTooFragmented) return refuse('must not come in pieces of a few bytes each');
    if (error instanceof BodyCutShort) return refuse('ended before its time');
    if (!(error instanceof InvalidJson)) throw error;
    errors.push(...error.issues.map(fieldErrorOf));
    return { body: undefined };
  }
}

/** The client is not responsible for the wait, so its body has a minimum pace instead of a time limit. */
async function readLarge(asked: JsonBodyRequest, enter: () => Promise<() => void>): Promise<JsonBody> {
  using _ = exemptFromRequestTimeout(asked.request);
  const release = await enter();
  try {
    const json = await read(asked, largeBodyPace);
    if (json !== undefined && json.bytes > jsonBodyBytes) return { ...bodyOf(json), release };
    release();
    return bodyOf(json);
  } catch (error) {
    release();
    throw error;
  }
}

function read(
  { request, response, limitBytes, maxValues = jsonValues, texts }: JsonBodyRequest,
  pace?: Pace,
) {
  if (Number(request.headers['content-length'] ?? 0) <= limitBytes) sendContinue(request, response);
  return readJson(request, {
    limitBytes,
    json: { ...jsonLimits, maxValues, maxContentBytes: Math.min(limitBytes, jsonContentBytes), texts },
    ...(pace && { pace, large: true }),
  });
}

function bodyOf(json: ScannedJson | undefined): JsonBody {
  if (json === undefined) return { body: undefined };
  const { value, longTexts, issues } = json;
  return { body: value, longTexts, issues: issues.map(fieldErrorOf) };
}

function fieldErrorOf({ path, message }: JsonIssue): FieldError {
  return { field: path === '' ? 'body' : path, message };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}
