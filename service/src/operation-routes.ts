import type { Operation } from '@renderkit/contract/v1/operation.ts';
import { type OperationId, operationIds, operations } from '@renderkit/contract/v1/operations.ts';
import { faultOf } from '@renderkit/server-kit/http/create-http-server.ts';
import { letSend } from '@renderkit/server-kit/http/let-send.ts';
import { readMultipart } from '@renderkit/server-kit/http/multipart.ts';
import { keepOwnPace } from '@renderkit/server-kit/http/request-body.ts';
import { notFoundDetail } from '@renderkit/server-kit/http/route-methods.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Admitted } from './admission/admit.ts';
import { type HandlerContext, type Handlers, RawReply } from './handler.ts';
import { ApiProblem } from './problems/api-problem.ts';
import { presentProblem } from './problems/present-problem.ts';
import { problemOfFault } from './problems/problem-of-fault.ts';
import type { Answer, SendAnswer } from './send-answer.ts';
import { StudioFailure } from './studio-client/studio-failure.ts';
import { translateStudioFailure } from './studio-client/translate-error.ts';
import {
  compileRequest,
  type ExplainUnknown,
  type JudgedOperation,
  type ValidRequest,
} from './validation/validate-request.ts';
import type { JsonBodyReader } from './validation/read-json-body.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    operationId?: string;
    operation?: Operation;
  }
}

/** What every route that answers with JSON is served with, whoever asks. */
export type Serving = {
  send: SendAnswer;
  /** One for all: it lets only so many large bodies into memory. */
  readJsonBody: JsonBodyReader;
  /** What is told of fields that an operation of the HTTP API does not have. */
  explainUnknown: (operation: OperationId) => ExplainUnknown | undefined;
  docsUrl: string;
  log: Logger;
};

/** Has routes read bodies themselves, when their turn comes; where there is no route, nobody reads them. */
export function leaveBodiesToRoutes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
}

/** Makes a scope one whose refusals are problems with the headers of every answer of the API. */
export function prepareScope(scope: FastifyInstance, serving: Serving): void {
  scope.setErrorHandler((error, request, reply) =>
    serving.send(request, reply, problemAnswer(serving, error, request)),
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
    judged: operation,
    explainUnknown: serving.explainUnknown(id),
    status: operation.response.status,
    handle: (request, reply, valid) =>
      handle(new RequestContext(request, reply, operation, valid, serving.log)),
  });
}

export type Route = {
  operationId: string;
  operation?: Operation;
  method: Operation['method'];
  /** Below the scope's prefix, with `{name}` for each parameter. */
  url: string;
  judged: JudgedOperation;
  explainUnknown?: ExplainUnknown | undefined;
  /** Of a success. */
  status: number;
  handle: (request: FastifyRequest, reply: FastifyReply, valid: ValidRequest) => Promise<unknown>;
};

/** Adds a route that judges the form of its requests and sends what its handler returns. */
export function addRoute(scope: FastifyInstance, { send, readJsonBody }: Serving, route: Route): void {
  const validate = compileRequest(route.judged, readJsonBody, route.explainUnknown);
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
        send(
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

/** @throws ApiProblem `rate_limited`. `whose` is what was counted: a key, a session. */
export function refuseOverLimit(admitted: Admitted, whose: string): void {
  if (admitted.number > admitted.limit)
    throw new ApiProblem('rate_limited', {
      detail: `The ${whose} has made its ${admitted.limit} requests of this minute.`,
      retryAfterSeconds: admitted.secondsLeft,
    });
}

/** Whoever is told has been let in: nobody else learns which routes there are. */
export function unknownRoute(request: FastifyRequest): ApiProblem {
  return new ApiProblem('not_found', { detail: notFoundDetail(request, 'There is no such route.') });
}

type Valid = Pick<HandlerContext, 'idempotencyKey'> & {
  params: unknown;
  query: unknown;
  body: unknown;
  isForm?: boolean;
};

class RequestContext implements HandlerContext {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
  readonly form: HandlerContext['form'];
  readonly contentLength: number | undefined;
  readonly principal: HandlerContext['principal'];
  readonly method: string;
  readonly path: string;
  readonly requestId: string;
  readonly log: Logger;
  readonly #reply: FastifyReply;
  #gone: AbortSignal | undefined;

  constructor(request: FastifyRequest, reply: FastifyReply, operation: Operation, valid: Valid, log: Logger) {
    this.params = valid.params;
    this.query = valid.query;
    this.body = valid.body;
    this.idempotencyKey = valid.idempotencyKey;
    this.form = valid.isForm === true ? () => openParts(request, reply) : undefined;
    const length = request.raw.headers['content-length'];
    this.contentLength = length === undefined ? undefined : Number(length);
    this.principal = (request.admitted as Admitted).principal;
    this.method = operation.method;
    this.path = operation.path;
    this.requestId = request.id;
    this.log = log;
    this.#reply = reply;
  }

  get signal(): AbortSignal {
    return (this.#gone ??= signalOfClient(this.#reply));
  }
}

/** Aborts when the client has gone before its answer. */
export function signalOfClient({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (raw.destroyed) gone.abort();
  else raw.once('close', () => raw.writableFinished || gone.abort());
  return gone.signal;
}

/** A form's file takes as long as it keeps its pace, which is for its reader to watch. */
function openParts(request: FastifyRequest, reply: FastifyReply): AsyncIterator<unknown> {
  const ownPace = keepOwnPace(request.raw);
  reply.raw.once('close', () => ownPace[Symbol.dispose]());
  letSend(request.raw, reply.raw);
  return readMultipart(request.raw);
}

function problemAnswer({ docsUrl, log }: Serving, error: unknown, request: FastifyRequest): Answer {
  const problem =
    error instanceof StudioFailure ? translateStudioFailure(error) : problemOfFault(faultOf(error));
  if (problem.code === 'internal_error')
    log.error(
      { request_id: request.id, operation: request.routeOptions.config.operationId, err: problem.cause },
      'a request failed',
    );
  return presentProblem(problem, { requestId: request.id, docsUrl });
}
