import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { acceptedScopes, type Operation } from '@renderkit/contract/v1/operation.ts';
import { type OperationId, operationIds, operations } from '@renderkit/contract/v1/operations.ts';
import { httpErrorOf } from '@renderkit/server-kit/http/create-http-server.ts';
import { eventStreamHeaders, type EventStreams } from '@renderkit/server-kit/http/event-streams.ts';
import { mustCloseUnread } from '@renderkit/server-kit/http/request-body.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Admission, type Admitted, refuseOverLimit } from '../identity/admission/admit.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import { presentProblem } from '../problems/present-problem.ts';
import { problemOfHttpError } from '../problems/problem-of-error.ts';
import { unknownRoute } from '../problems/unknown-route.ts';
import { StudioFailure } from '../studio-client/studio-failure.ts';
import { translateStudioFailure } from '../studio-client/translate-error.ts';
import type { LargeBodies } from '../validation/large-bodies.ts';
import {
  type ExplainUnknown,
  requestValidator,
  type ValidatedOperation,
  type ValidRequest,
} from '../validation/validate-request.ts';
import { BytesReply, type Handlers, RawReply, RequestContext, StreamReply } from './handler.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    operationId?: string;
    operation?: Operation;
  }
  interface FastifyRequest {
    /** The admitted client, once it is known. From then on every answer carries the rate headers. */
    admitted: Admitted | undefined;
    startedAt: number;
  }
}

/** What every route that answers with JSON needs. */
export type Serving = {
  answers: AnswerWriter;
  /** Shared by all routes: limits the large bodies in memory. */
  largeBodies: LargeBodies;
  /** Explains fields that an operation of the HTTP API does not have. */
  explainUnknown: (operation: OperationId) => ExplainUnknown | undefined;
  docsUrl: string;
  log: Logger;
};

/**
 * Serves all of /v1. The checks run in this order, and the first failure is the answer. Before a byte of the body is
 * read: the key, the rate limit, whether the route exists, whether the key's scopes include it. Then the form of
 * headers, query and body. What a create is refused for after that stands, in order, in
 * `generations/create/create-generation.ts`, `quotes/validate-and-quote.ts` and the function accept_generations (sql/functions).
 */
export function serveOperations(
  app: FastifyInstance,
  { admission, handlers, serving }: { admission: Admission; handlers: Handlers; serving: Serving },
): void {
  app.register(
    (v1, _options, done) => {
      prepareScope(v1, serving);
      v1.addHook('onRequest', async (request) => {
        request.startedAt = performance.now();
        request.admitted = await admission.admit(request.raw);
        refuseUnfit(request, request.admitted);
      });
      // The `onRequest` hook has already refused the request. This handler exists so that unknown paths run the hook.
      v1.setNotFoundHandler((request, reply) => void reply.send(unknownRoute(request)));
      addOperations(v1, serving, handlers);
      done();
    },
    { prefix: '/v1' },
  );
}

function refuseUnfit(request: FastifyRequest, admitted: Admitted): void {
  refuseOverLimit(admitted, 'key');
  if (request.is404) throw unknownRoute(request);
  const { operation } = request.routeOptions.config;
  if (operation === undefined) throw new Error(`the route of ${request.url} has no operation`);
  const accepted = acceptedScopes(operation);
  if (!accepted.some((scope) => admitted.principal.scopes.has(scope)))
    throw new ApiProblem('forbidden', { detail: `The key lacks the scope ${accepted.join(' or ')}.` });
}

/** Makes every refusal in a scope a problem with the headers of every answer of the API. */
export function prepareScope(scope: FastifyInstance, serving: Serving): void {
  scope.setErrorHandler((error, request, reply) =>
    serving.answers.send(request, reply, problemAnswer(serving, error, request)),
  );
}

/**
 * Adds every operation of the HTTP API to a scope whose prefix stands for `/v1`. The hooks of the scope must have
 * identified the client, or refused the request, before.
 */
export function addOperations(scope: FastifyInstance, serving: Serving, handlers: Handlers): void {
  for (const id of operationIds) addOperation(scope, serving, handlers, id);
}

function addOperation(scope: FastifyInstance, serving: Serving, handlers: Handlers, id: OperationId): void {
  const operation: Operation = operations[id];
  // The types of the table connect each handler with the requests that its own schemas accept.
  const handle = handlers[id] as (request: object) => Promise<unknown>;
  addRoute(scope, serving, {
    operationId: id,
    operation,
    url: operation.path.slice('/v1'.length),
    method: operation.method,
    validated: operation,
    explainUnknown: serving.explainUnknown(id),
    status: operation.response.status,
    handle: (request, reply, valid) =>
      handle(new RequestContext(request, reply, operation, valid, serving.log)),
  });
}

export type Route = {
  operationId: string;
  operation?: Operation;
  method: Operation['method'] | 'PUT';
  /** The path below the scope's prefix, with `{name}` for each parameter. */
  url: string;
  /** The rules that validate its requests. */
  validated: ValidatedOperation;
  explainUnknown?: ExplainUnknown | undefined;
  /** The status of a success. */
  status: number;
  handle: (request: FastifyRequest, reply: FastifyReply, valid: ValidRequest) => Promise<unknown>;
};

/** Adds a route that validates the form of its requests and sends what its handler returns. */
export function addRoute(scope: FastifyInstance, { answers, largeBodies }: Serving, route: Route): void {
  const validate = requestValidator(route.validated, largeBodies, route.explainUnknown);
  scope.route({
    method: route.method,
    url: route.url.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: {
      operationId: route.operationId,
      ...(route.operation !== undefined && { operation: route.operation }),
    },
    handler: async (request, reply) => {
      const valid = await validate({
        accountId: (request.admitted as Admitted).principal.account.id,
        request: request.raw,
        response: reply.raw,
        params: request.params as Record<string, string>,
        query: request.query as string | undefined,
      });
      // `wait` waits for something that the body shows, and an answer to HEAD has no body.
      if (request.method === 'HEAD') delete valid.query['wait'];
      try {
        const answer = await route.handle(request, reply, valid);
        if (answer instanceof StreamReply) answers.stream(request, reply, answer);
        else if (answer instanceof BytesReply) await answers.bytes(request, reply, answer);
        else
          answers.send(
            request,
            reply,
            answer instanceof RawReply ? answer : { status: route.status, text: JSON.stringify(answer) },
          );
      } finally {
        valid.release?.();
      }
    },
  });
}

function problemAnswer({ docsUrl, log }: Serving, error: unknown, request: FastifyRequest): Answer {
  const problem =
    error instanceof StudioFailure ? translateStudioFailure(error) : problemOfHttpError(httpErrorOf(error));
  if (problem.code === 'internal_error')
    log.error(
      { request_id: request.id, operation: request.routeOptions.config.operationId, err: problem.cause },
      'a request failed',
    );
  return presentProblem(problem, { requestId: request.id, docsUrl });
}

export type Answer = {
  status: number;
  /** Names in lower case. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** JSON; `application/json` unless the headers set another type. */
  text: string | Buffer;
};

export type RequestMetrics = {
  /** `milliseconds` counts from when the service first sees the request until its answer. */
  observe: (operationId: string | undefined, status: number, milliseconds: number) => void;
};

/**
 * Writes every answer of the API, also the 202 of a create, with the common headers: request id, rate limit (once the
 * client is known), and `Connection: close` when the connection must end.
 */
export class AnswerWriter {
  readonly #metrics: RequestMetrics;
  readonly #streams: EventStreams;
  #closing = false;

  constructor(app: FastifyInstance, metrics: RequestMetrics, streams: EventStreams) {
    this.#metrics = metrics;
    this.#streams = streams;
    app.decorateRequest('admitted', undefined);
    app.decorateRequest('startedAt', 0);
    app.addHook('preClose', (done) => {
      this.#closing = true;
      done();
    });
  }

  send(request: FastifyRequest, reply: FastifyReply, { status, headers, text }: Answer): void {
    const bytes = Buffer.byteLength(text);
    const lines: string[] = ['content-length', String(bytes)];
    // What one key reads belongs to nobody else, and is out of date at once.
    lines.push('cache-control', 'no-store');
    if (headers?.['content-type'] === undefined) lines.push('content-type', 'application/json');
    for (const name in headers) lines.push(name, headers[name] as string);
    this.#addCommon(lines, request, status, headers);
    // Bypasses the framework, which costs time and would add a charset that the media types do not have.
    reply.hijack();
    // A text of as many bytes as characters is ASCII and needs no encoding.
    const encoding = bytes === text.length ? 'latin1' : 'utf8';
    if (!reply.raw.destroyed) reply.raw.writeHead(status, lines).end(text, encoding);
    this.#observe(request, status);
  }

  /** Answers 200. The caller's `begin` then writes the stream. For HEAD nothing follows. */
  stream(request: FastifyRequest, reply: FastifyReply, { begin }: StreamReply): void {
    const lines = Object.entries(eventStreamHeaders).flat();
    this.#addCommon(lines, request, 200);
    reply.hijack();
    this.#observe(request, 200);
    if (reply.raw.destroyed) return;
    reply.raw.writeHead(200, lines);
    if (request.method === 'HEAD') return void reply.raw.end();
    begin(this.#streams.start(reply.raw));
  }

  /** Answers 200 and streams the bytes at the reader's pace. An error during the stream ends the connection. */
  async bytes(request: FastifyRequest, reply: FastifyReply, { headers, bytes }: BytesReply): Promise<void> {
    const lines = ['cache-control', 'no-store', ...Object.entries(headers).flat()];
    this.#addCommon(lines, request, 200, headers);
    reply.hijack();
    this.#observe(request, 200);
    if (!reply.raw.destroyed) reply.raw.writeHead(200, lines);
    // When the reader disconnects, the source ends too.
    const source = Readable.from(request.method === 'HEAD' ? [] : bytes, { objectMode: false });
    await pipeline(source, reply.raw).catch(() => undefined);
  }

  #addCommon(
    lines: string[],
    { id, admitted, raw }: FastifyRequest,
    status: number,
    headers?: Answer['headers'],
  ): void {
    lines.push('x-request-id', id);
    // A key that was revoked during its request has no rate limit any more.
    if (admitted !== undefined && status !== 401)
      lines.push(
        'x-ratelimit-limit',
        String(admitted.limit),
        'x-ratelimit-remaining',
        String(Math.max(0, admitted.limit - admitted.number)),
      );
    if ((mustCloseUnread(raw) || this.#closing) && headers?.['connection'] === undefined)
      lines.push('connection', 'close');
  }

  #observe(request: FastifyRequest, status: number): void {
    const { operationId } = request.routeOptions.config;
    this.#metrics.observe(operationId, status, performance.now() - request.startedAt);
  }
}
