import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { isDatabaseUnavailable } from '@renderkit/server-kit/database.ts';
import { keepsOwnPace } from '@renderkit/server-kit/http/own-pace.ts';
import { JsonRefused, parseStrictJson } from '@renderkit/server-kit/http/strict-json.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import type { Logger } from '@renderkit/server-kit/logger.ts';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { StudioError } from './errors.ts';
import { isOutOfSpace } from './out-of-space.ts';

// A list of 64 quotes with prompts of 20,000 characters, or 5,000 accounts to watch.
const bodyLimitBytes = 8 * 1024 * 1024;
const maxJsonValues = 40_000;
const headerTimeoutMs = 10_000;
const requestTimeoutMs = 60_000;
const keepAliveTimeoutMs = 72_000;
const connectionsCheckMs = 5_000;

/** Fastify with every limit set, and every error, the framework's own too, told as `{code, message}`. */
export function createServer(options: { log: Logger; trustProxy: string[] }): FastifyInstance {
  const app = Fastify({
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    trustProxy: options.trustProxy.length > 0 ? options.trustProxy : false,
    genReqId: () => newId('req_'),
    http: {
      headersTimeout: headerTimeoutMs,
      connectionsCheckingInterval: connectionsCheckMs,
      maxHeaderSize: 16_384,
    },
    routerOptions: { maxParamLength: 800 },
    forceCloseConnections: 'idle',
    logger: false,
    clientErrorHandler: answerOnSocket,
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
    try {
      done(null, parseStrictJson(bytes as Buffer, { maxValues: maxJsonValues }));
    } catch (error) {
      done(error as Error);
    }
  });
  app.setNotFoundHandler(() => {
    throw new StudioError('not_found', 'There is nothing at this address.');
  });
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply, options.log));
  return app;
}

/** What was wrong before there was a request to answer, or took too long to become one. */
function answerOnSocket(error: Error & { code?: string }, socket: Socket): void {
  // Node's one limit of time is for every request; a file has a pace to keep instead.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && keepsOwnPace(socket)) return;
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const body = JSON.stringify({ code: 'invalid_request', message: 'The request could not be read.' });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json\r\n` +
      `content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** Sends any error as the contract's error body. */
function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Logger,
): FastifyReply {
  const told = translateError(error);
  // While the database is away every request fails alike: one line each, without the stack.
  if (told.code === 'overloaded')
    log.warn(
      { reason: String((told.cause as Error | undefined)?.message), request_id: request.id },
      told.message,
    );
  else if (told.status >= 500 && told.code !== 'maintenance')
    log.error({ err: error, request_id: request.id, route: request.routeOptions.url }, 'a request failed');
  if (told.retryAfterSeconds !== undefined) reply.header('retry-after', told.retryAfterSeconds);
  return reply.code(told.status).send({
    code: told.code,
    message: told.message,
    ...(told.retryAfterSeconds !== undefined && { retry_after: told.retryAfterSeconds }),
    ...(told.storage !== undefined && { storage: told.storage }),
  });
}

function translateError(error: unknown): StudioError {
  if (error instanceof StudioError) return error;
  if (isDatabaseUnavailable(error))
    return new StudioError('overloaded', 'The studio cannot reach its database.', {
      cause: error,
      retryAfterSeconds: 2,
    });
  if (error instanceof JsonRefused)
    return new StudioError('invalid_request', `${error.path} ${error.message}`.trim(), { cause: error });
  const { statusCode, code } = error as { statusCode?: number; code?: string };
  if (isOutOfSpace(error))
    return new StudioError('overloaded', 'The studio has no space left.', {
      cause: error,
      retryAfterSeconds: 30,
    });
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new StudioError('too_large', 'The body is too large.', { cause: error });
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new StudioError('invalid_request', 'The request could not be read.', { cause: error });
  return new StudioError('internal_error', 'The studio failed at this.', { cause: error });
}
