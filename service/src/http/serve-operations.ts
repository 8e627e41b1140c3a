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
    /** Who asks, once that is known; from then on every answer carries the rate headers. */
    admitted: Admitted | undefined;
    startedAt: number;
  }
}

/** What every route that answers with JSON is served with, whoever asks. */
export type Serving = {
  answers: AnswerWriter;
  /** One for all routes: it lets only so many large bodies into memory. */
  largeBodies: LargeBodies;
  /** Explains fields that an operation of the HTTP API does not have. */
  explainUnknown: (operation: OperationId) => ExplainUnknown | undefined;
  docsUrl: string;
  log: Logger;
};

/**
 * Serves all of /v1. A request is checked in this order, and the first failure is the answer: who asks, how often,
 * whether there is such a route, whether the key's scopes reach it (all before a byte of the body is read), then
 * the form of headers, query and body.
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
      // Its hook has refused by then: it is here so that unknown paths pass through the hook.
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

/** Makes a scope one whose refusals are problems with the headers of every answer of the API. */
export function prepareScope(scope: FastifyInstance, serving: Serving): void {
  scope.setErrorHandler((error, request, reply) =>
    serving.answers.send(request, reply, problemAnswer(serving, error, request)),
  );
}

/**
 * Adds every operation of the HTTP API to a scope whose prefix stands for `/v1`. Its hooks have said who asks, and
 * refused, by then.
 */
export function addOperations(scope: FastifyInstance, serving: Serving, handlers: Handlers): void {
  for (const id of operationIds) addOperation(scope, serving, handlers, id);
}

function addOperation(scope: FastifyInstance, serving: Serving, handlers: Handlers, id: OperationId): void {
  const operation: Operation = operations[id];
  // The table's types tie each handler to what its own schemas let through.
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
  /** Below the scope's prefix, with `{name}` for each parameter. */
  url: string;
  /** What its requests are validated by. */
  validated: ValidatedOperation;
  explainUnknown?: ExplainUnknown | undefined;
  /** Of a success. */
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
      // What is waited for stands in the body, which an answer to HEAD does not have.
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
  /** JSON; `application/json` unless the headers say otherwise. */
  text: string | Buffer;
};

export type RequestMetrics = {
  /** `milliseconds` from the first look at the request to its answer. */
  observe: (operationId: string | undefined, status: number, milliseconds: number) => void;
};

/**
 * Writes every answer of the API, the 202 of a create too, with the headers that each has: request id, rate limit once
 * it is known who asks, and `Connection: close` where the connection has to end.
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
    // What one key reads is nobody else's, and is stale the next moment.
    lines.push('cache-control', 'no-store');
    if (headers?.['content-type'] === undefined) lines.push('content-type', 'application/json');
    for (const name in headers) lines.push(name, headers[name] as string);
    this.#addCommon(lines, request, status, headers);
    // Past the framework, which would add a charset that the media types do not have, and time.
    reply.hijack();
    // A text of as many bytes as characters is ASCII and needs no encoding.
    const encoding = bytes === text.length ? 'latin1' : 'utf8';
    if (!reply.raw.destroyed) reply.raw.writeHead(status, lines).end(text, encoding);
    this.#observe(request, status);
  }

  /** Answers 200 and leaves the rest of the answer to whoever writes the stream. To HEAD there is no rest. */
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

  /** Answers 200 and writes what comes, at the pace of who reads. What breaks on the way ends the connection. */
  async bytes(request: FastifyRequest, reply: FastifyReply, { headers, bytes }: BytesReply): Promise<void> {
    const lines = ['cache-control', 'no-store', ...Object.entries(headers).flat()];
    this.#addCommon(lines, request, 200, headers);
    reply.hijack();
    this.#observe(request, 200);
    if (!reply.raw.destroyed) reply.raw.writeHead(200, lines);
    // A reader that has gone away ends the source too.
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
    // A key that was revoked while its request waited has no rate any more.
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
