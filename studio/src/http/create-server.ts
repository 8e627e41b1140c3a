import type { IncomingMessage } from 'node:http';
import { isOutOfSpace } from '@renderkit/engine-kit/out-of-space.ts';
import { isMediaUnavailable } from '@renderkit/server-kit/files/file-errors.ts';
import { isDatabaseUnavailable } from '@renderkit/server-kit/db/database.ts';
import { createHttpServer } from '@renderkit/server-kit/http/create-http-server.ts';
import type { HttpError } from '@renderkit/server-kit/http/http-error.ts';
import { InvalidJson } from '@renderkit/server-kit/http/invalid-json.ts';
import type { JsonLimits } from '@renderkit/server-kit/http/json-scan.ts';
import {
  BodyCutShort,
  BodyTooFragmented,
  BodyTooLarge,
  readJson,
} from '@renderkit/server-kit/http/read-body.ts';
import { sendContinue } from '@renderkit/server-kit/http/request-body.ts';
import { type TextLimits, textLimitsOf } from '@renderkit/server-kit/http/text-limits.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { StudioError } from '../errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The length limits of the texts in the JSON body. */
    texts?: TextLimits;
  }
}

// A list of 64 quotes with prompts of 20,000 characters, or 5,000 accounts to watch.
const bodyLimitBytes = 8 * 1024 * 1024;
/** The length of a prompt. */
const maxTextCharacters = 20_000;
/** A part of a path may be percent-encoded. */
const maxParamLength = 800;
const jsonLimits: Omit<JsonLimits, 'texts'> = {
  maxDepth: 32,
  maxValues: 40_000,
  maxNumberCharacters: 40,
  maxContentBytes: bodyLimitBytes,
  maxGatheredBytes: 256 * 1024,
};

/** Returns the limits of the texts in a JSON body by its schema. */
export function textsOf(schema: object = {}): TextLimits {
  return textLimitsOf(schema, maxTextCharacters);
}

/**
 * Creates an HTTP server with every limit set. Answers every error, including the framework's, as `{code, message}`.
 */
export function createServer(options: { log: Logger; trustProxy: string[] }): FastifyInstance {
  const app = createHttpServer({
    presentError: (error, requestId, route) => present(error, { request_id: requestId, route }, options.log),
    newRequestId: () => newId('req_'),
    trustProxy: options.trustProxy,
    parsesQueries: true,
    maxParamLength,
  });
  const unknown = textsOf();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (request: FastifyRequest) =>
    readBodyOf(request.raw, request.routeOptions.config.texts ?? unknown),
  );
  // A request that reaches this hook is authenticated, so the client may send its body.
  app.addHook('preParsing', (request, reply, _payload, done) => {
    sendContinue(request.raw, reply.raw);
    done();
  });
  return app;
}

/** @throws InvalidJson, BodyTooLarge, BodyTooFragmented, BodyCutShort */
async function readBodyOf(request: IncomingMessage, texts: TextLimits): Promise<unknown> {
  const json = await readJson(request, { limitBytes: bodyLimitBytes, json: { ...jsonLimits, texts } });
  if (json === undefined) throw new InvalidJson([{ path: '', message: 'is not valid JSON' }]);
  if (json.issues.length > 0) throw new InvalidJson(json.issues);
  return json.value;
}

/** Presents any error as the contract's error body. */
function present(error: HttpError, where: { request_id: string; route: string | undefined }, log: Logger) {
  const answer = errorOf(error);
  // While the database is unavailable, every request fails with the same error: one line each, without the stack.
  if (answer.code === 'overloaded')
    log.warn({ reason: String((answer.cause as Error | undefined)?.message), ...where }, answer.message);
  else if (answer.status >= 500 && answer.code !== 'maintenance')
    log.error({ err: error.cause, ...where }, 'a request failed');
  const { retryAfterSeconds } = answer;
  return {
    status: error.reason === 'too_slow' ? timedOutStatus : answer.status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    },
    body: JSON.stringify({
      code: answer.code,
      message: answer.message,
      ...(retryAfterSeconds !== undefined && { retry_after: retryAfterSeconds }),
      ...(answer.storage !== undefined && { storage: answer.storage }),
      ...(answer.errors !== undefined && { errors: answer.errors }),
    }),
  };
}

const timedOutStatus = 408;
const maxMessageCharacters = 500;

function errorOf(error: HttpError): StudioError {
  if (error.reason === 'unexpected') return translateError(error.cause);
  const { code } = (error.cause ?? {}) as { code?: string };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge(error.cause);
  return new StudioError(error.reason === 'not_found' ? 'not_found' : 'invalid_request', error.detail, {
    cause: error.cause,
  });
}

function tooLarge(cause: unknown): StudioError {
  return new StudioError('too_large', 'The body is too large.', { cause });
}

function translateError(error: unknown): StudioError {
  if (error instanceof StudioError) return error;
  if (isDatabaseUnavailable(error))
    return new StudioError('overloaded', 'The studio cannot reach its database.', {
      cause: error,
      retryAfterSeconds: 2,
    });
  if (error instanceof InvalidJson)
    return new StudioError('invalid_request', error.message.slice(0, maxMessageCharacters), { cause: error });
  const { statusCode } = error as { statusCode?: number };
  if (isMediaUnavailable(error))
    return new StudioError('overloaded', 'The studio cannot reach its media.', {
      cause: error,
      retryAfterSeconds: 5,
    });
  if (isOutOfSpace(error))
    return new StudioError('overloaded', 'The studio has no space left.', {
      cause: error,
      retryAfterSeconds: 30,
    });
  if (error instanceof BodyCutShort || error instanceof BodyTooFragmented)
    return new StudioError('invalid_request', `The body cannot be read: ${error.message}.`, { cause: error });
  if (error instanceof BodyTooLarge) return tooLarge(error);
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new StudioError('invalid_request', 'The request could not be read.', { cause: error });
  return new StudioError('internal_error', 'The studio failed at this.', { cause: error });
}
