import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import type { HttpError } from './http-error.ts';
import { closeSoon, isExemptFromRequestTimeout, mustCloseUnread } from './request-body.ts';
import { headersTooLarge, headErrorOf, maxHeaderBytes, maxHeaders } from './request-head.ts';
import { gatherMethods, notFoundDetail } from './route-methods.ts';
import { watchUnused } from './unused-connections.ts';

export type ErrorAnswer = { status: number; headers: Record<string, string>; body: string };

export type HttpServerOptions = {
  /**
   * Creates the answer to every error that no route answered. `route` is the route whose handler failed. Implemented by
   * `service/src/http/create-server.ts` and `studio/src/http/create-server.ts`. The server adds the request id header
   * itself.
   */
  presentError: (httpError: HttpError, requestId: string, route?: string) => ErrorAnswer;
  newRequestId: () => string;
  /** Addresses or CIDRs whose X-Forwarded-* headers are trusted. Default: none. */
  trustProxy?: readonly string[];
  /** Milliseconds to receive a whole request; the answer may take longer. Default 60,000. */
  requestTimeoutMs?: number;
  /** The interval for finding slow connections, in milliseconds. Default 5,000. */
  connectionsCheckingIntervalMs?: number;
  /** Milliseconds to receive the headers. Default 10,000. */
  headersTimeoutMs?: number;
  /** When true, `request.query` is the parsed query. Default false: it is the text after the question mark. */
  parsesQueries?: boolean;
  /**
   * The path, such as `/renderkit`, under which clients reach the server from outside. A request may have this prefix
   * or not, because some proxies pass it on and others remove it.
   */
  pathPrefix?: string;
  /** The maximum length of a path parameter; a path with a longer one is not found. Default: the limit for headers. */
  maxParamLength?: number;
};

export const requestIdHeader = 'x-request-id';
// Longer than 60 s, after which common proxies drop an idle connection, so that the proxy closes first.
const keepAliveTimeoutMs = 72_000;
const maxConnections = 32_000;
const closingIdleEveryMs = 50;

/**
 * Creates a Fastify instance that limits everything a client sends. Every answer has an X-Request-Id that the server
 * made, never one from the client. `presentError` creates the answer to every failure, also of the HTTP parser. HEAD is
 * answered like GET, without the body. For a method that a path does not have, the answer lists the methods that it
 * has.
 */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const app = fastify({
    serverFactory: (handler) => createLimitedServer(options, handler),
    clientErrorHandler: (error, socket) => answerOnSocket(options, error, socket),
    frameworkErrors: (error, request, reply) => {
      const httpError: HttpError = {
        reason: 'malformed',
        detail: 'The path is not a valid URL path.',
        cause: error,
      };
      send(reply as Reply, options.presentError(httpError, request.id), request.id);
    },
    genReqId: options.newRequestId,
    ...(options.pathPrefix !== undefined &&
      options.pathPrefix !== '' && { rewriteUrl: withoutPrefix(options.pathPrefix) }),
    requestIdHeader: false,
    trustProxy:
      options.trustProxy === undefined || options.trustProxy.length === 0 ? false : [...options.trustProxy],
    exposeHeadRoutes: true,
    return503OnClosing: false,
    logger: false,
    routerOptions: {
      // The handler validates the lengths of ids; the router must not answer first.
      maxParamLength: options.maxParamLength ?? maxHeaderBytes,
      ...(options.parsesQueries !== true && {
        querystringParser: (text: string) => text as unknown as Record<string, unknown>,
      }),
    },
  });
  gatherMethods(app);
  const closeUnused = watchUnused(app.server);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(requestIdHeader, request.id);
    done();
  });
  app.addHook('preClose', (done) => {
    // A server that never opened its port has nothing to close, and would never emit `close`.
    if (!app.server.listening) return done();
    // Node closes only the connections that are idle now. Connections with a running request would stay open after it.
    // So would connections that never sent a request or sent only a part of its head.
    const timer = setInterval(() => {
      app.server.closeIdleConnections();
      closeUnused();
    }, closingIdleEveryMs);
    app.server.once('close', () => clearInterval(timer));
    done();
  });
  app.setNotFoundHandler((request, reply) => {
    const detail = notFoundDetail(request, 'There is nothing at this address.');
    const httpError: HttpError = { reason: 'not_found', detail };
    send(reply, options.presentError(httpError, request.id), request.id);
  });
  app.setErrorHandler((error, request, reply) => {
    const { url } = request.routeOptions;
    send(reply, options.presentError(httpErrorOf(error), request.id, url), request.id);
  });
  return app;
}

function withoutPrefix(prefix: string): (request: { url?: string | undefined }) => string {
  return ({ url = '/' }) => {
    if (!url.startsWith(prefix)) return url;
    const rest = url.slice(prefix.length);
    return rest === '' || rest.startsWith('?') ? `/${rest}` : rest.startsWith('/') ? rest : url;
  };
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

function createLimitedServer(options: HttpServerOptions, handler: Handler): Server {
  const serve: Handler = (request, response) => {
    // Further bytes on such a connection may not be what the client meant to send.
    if (distrusted.has(request.socket)) return;
    const httpError = headErrorOf(request);
    if (httpError === undefined) return handler(request, response);
    distrusted.add(request.socket);
    answerHead(options, httpError, request, response);
  };
  const server = createServer(
    {
      headersTimeout: options.headersTimeoutMs ?? 10_000,
      requestTimeout: options.requestTimeoutMs ?? 60_000,
      keepAliveTimeout: keepAliveTimeoutMs,
      connectionsCheckingInterval: options.connectionsCheckingIntervalMs ?? 5_000,
      maxHeaderSize: maxHeaderBytes,
      insecureHTTPParser: false,
      // Our own check runs instead, because Node would answer with a status line only.
      requireHostHeader: false,
      noDelay: true,
    },
    serve,
  );
  // Node silently drops headers beyond this number. One more than allowed lets us detect too many headers.
  server.maxHeadersCount = maxHeaders + 1;
  server.maxConnections = maxConnections;
  // A client that waits for "100 Continue" gets it when a route begins to read the body. Before that, the client may
  // not be authorized.
  server.on('checkContinue', serve);
  server.on('checkExpectation', serve);
  server.on('connect', (_request, socket) =>
    answerOnSocket(options, new Error('CONNECT is for proxies'), socket as Socket),
  );
  return server;
}

/** Connections that are closed after the answer, because the head of their request was refused. */
const distrusted = new WeakSet<Socket>();

function answerHead(
  options: HttpServerOptions,
  httpError: HttpError,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const requestId = options.newRequestId();
  const { status, headers, body } = options.presentError(httpError, requestId);
  mustCloseUnread(request);
  response
    .writeHead(status, {
      ...headers,
      [requestIdHeader]: requestId,
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    })
    .end(body);
}

/** Converts an error that reached the framework's error handler. */
export function httpErrorOf(error: unknown): HttpError {
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return { reason: 'media_type', detail: 'The Content-Type is not one that is taken here.', cause: error };
  if (code?.startsWith('FST_ERR_') === true && statusCode !== undefined && statusCode < 500)
    return { reason: 'malformed', detail: 'The request is malformed.', cause: error };
  // The framework reports this when the connection ends while it reads a body.
  if (code === 'ECONNRESET' && statusCode === 400)
    return { reason: 'malformed', detail: 'The request ended before its time.', cause: error };
  return { reason: 'unexpected', detail: 'Something failed.', cause: error };
}

type Reply = {
  request: { raw: IncomingMessage };
  code(status: number): unknown;
  headers(headers: Record<string, string>): unknown;
  header(name: string, value: string): unknown;
  send(body: Buffer): unknown;
};

function send(reply: Reply, answer: ErrorAnswer, requestId: string): void {
  reply.code(answer.status);
  reply.headers(answer.headers);
  reply.header(requestIdHeader, requestId);
  if (mustCloseUnread(reply.request.raw)) reply.header('connection', 'close');
  // The body is sent as bytes: to a text, the framework would add a charset that the media type does not have.
  reply.send(Buffer.from(answer.body));
}

/** Answers a client whose bytes are no valid request, with what is wrong. */
function answerOnSocket(options: HttpServerOptions, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isExemptFromRequestTimeout(socket)) return;
  const underWay =
    (socket as { _httpMessage?: { headersSent?: boolean } })._httpMessage?.headersSent === true;
  // A browser opens connections in advance. An answer on an unused connection would be taken as the answer to its next
  // request.
  const unused = socket.bytesRead === 0;
  if (error.code === 'ECONNRESET' || !socket.writable || underWay || unused) {
    socket.destroy();
    return;
  }
  const requestId = options.newRequestId();
  const { status, headers, body } = options.presentError(socketErrorOf(error), requestId);
  const head = {
    ...headers,
    [requestIdHeader]: requestId,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
  for (const [name, value] of Object.entries(head)) text += `${name}: ${value}\r\n`;
  socket.write(`${text}\r\n${body}`);
  closeSoon(socket);
}

function socketErrorOf(error: Error & { code?: string }): HttpError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return { reason: 'headers_too_large', detail: headersTooLarge, cause: error };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { reason: 'too_slow', detail: 'The request did not arrive in time.', cause: error };
    default:
      return { reason: 'malformed', detail: 'The request is not valid HTTP.', cause: error };
  }
}
