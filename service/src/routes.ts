import {
  acceptedScopes,
  type OperationId,
  operationIds,
  operations,
} from '@renderkit/contract/v1/operations.ts';
import type { Operation } from '@renderkit/contract/v1/operation.ts';
import { faultOf } from '@renderkit/server-kit/http/create-http-server.ts';
import type { Logger } from '@renderkit/server-kit/logger.ts';
import multipart from '@fastify/multipart';
import { keepOwnPace } from '@renderkit/server-kit/http/own-pace.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Admission, Admitted } from './admission/admit.ts';
import { type HandlerContext, type Handlers, RawReply } from './handler.ts';
import type { RequestMetrics } from './health/request-metrics.ts';
import { ApiProblem } from './problems/api-problem.ts';
import { presentProblem } from './problems/present-problem.ts';
import { problemOfFault } from './problems/problem-of-fault.ts';
import { StudioFailure } from './studio-client/studio-failure.ts';
import { translateStudioFailure } from './studio-client/translate-error.ts';
import { type Answer, createSendAnswer, type SendAnswer } from './send-answer.ts';
import { compileRequest } from './validation/compile-request.ts';
import { createJsonBodyReader, type JsonBodyReader } from './validation/read-json-body.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks, once that is known; from then on every answer carries the rate headers. */
    admitted: Admitted | undefined;
    startedAt: number;
  }
  interface FastifyContextConfig {
    operationId?: OperationId;
    operation?: Operation;
  }
}

export type RouteDependencies = {
  admission: Admission;
  handlers: Handlers;
  metrics: RequestMetrics;
  docsUrl: string;
  log: Logger;
};

/**
 * Routes all of /v1. A request is judged in this order, and the first failure is the answer: who asks, how often,
 * whether there is such a route, whether the key's scopes reach it (all before a byte of the body is read), then
 * the form of headers, query and body.
 */
export function registerRoutes(app: FastifyInstance, dependencies: RouteDependencies): void {
  const send = createSendAnswer(app, dependencies.metrics);
  app.decorateRequest('admitted', undefined);
  app.decorateRequest('startedAt', 0);
  app.register(
    (v1, _options, done) => {
      // Bodies are read by the route itself, when their turn comes.
      v1.removeAllContentTypeParsers();
      v1.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
      v1.addHook('onRequest', async (request) => {
        request.startedAt = performance.now();
        request.admitted = await dependencies.admission.admit(request.raw);
        refuseUnfit(request, request.admitted);
      });
      v1.setErrorHandler((error, request, reply) =>
        send(request, reply, problemAnswer(dependencies, error, request)),
      );
      // Its hook has refused by then: it is here so that unknown paths pass through the hook.
      v1.setNotFoundHandler((_request, reply) => void reply.send(unknownRoute()));
      addOperations(v1, dependencies, send);
      done();
    },
    { prefix: '/v1' },
  );
}

function refuseUnfit(request: FastifyRequest, admitted: Admitted): void {
  if (admitted.number > admitted.limit)
    throw new ApiProblem('rate_limited', {
      detail: `The key has made its ${admitted.limit} requests of this minute.`,
      retryAfterSeconds: admitted.secondsLeft,
    });
  if (request.is404) throw unknownRoute();
  const { operation } = request.routeOptions.config;
  if (operation === undefined) throw new Error(`the route of ${request.url} has no operation`);
  const accepted = acceptedScopes(operation);
  if (!accepted.some((scope) => admitted.principal.scopes.has(scope)))
    throw new ApiProblem('forbidden', { detail: `The key lacks the scope ${accepted.join(' or ')}.` });
}

function unknownRoute(): ApiProblem {
  return new ApiProblem('not_found', { detail: 'There is no such route.' });
}

function addOperations(v1: FastifyInstance, dependencies: RouteDependencies, send: SendAnswer): void {
  const readJsonBody = createJsonBodyReader();
  const add = (scope: FastifyInstance, id: OperationId) =>
    addOperation(scope, dependencies, send, { id, readJsonBody });
  const takesForm = (id: OperationId) => (operations[id] as Operation).request.form !== undefined;
  for (const id of operationIds) if (!takesForm(id)) add(v1, id);
  // The parser of forms has a hand in every request of its scope: only those that may bring one are in it.
  v1.register((forms, _options, done) => {
    forms.register(multipart);
    for (const id of operationIds) if (takesForm(id)) add(forms, id);
    done();
  });
}

function addOperation(
  scope: FastifyInstance,
  dependencies: RouteDependencies,
  send: SendAnswer,
  { id, readJsonBody }: { id: OperationId; readJsonBody: JsonBodyReader },
): void {
  const operation: Operation = operations[id];
  const validate = compileRequest(operation, readJsonBody);
  // The table's types tie each handler to what its own schemas let through.
  const handle = dependencies.handlers[id] as (request: object) => Promise<unknown>;
  scope.route({
    method: operation.method,
    url: operation.path.slice('/v1'.length).replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { operationId: id, operation },
    handler: async (request, reply) => {
      const valid = await validate({
        accountId: (request.admitted as Admitted).principal.account.id,
        request: request.raw,
        response: reply.raw,
        params: request.params as Record<string, string>,
        query: request.query as string | undefined,
      });
      try {
        const answer = await handle(new RequestContext(request, reply, operation, valid, dependencies.log));
        send(
          request,
          reply,
          answer instanceof RawReply
            ? answer
            : { status: operation.response.status, text: JSON.stringify(answer) },
        );
      } finally {
        valid.release?.();
      }
    },
  });
}

/** What a form may hold beside the bytes of its file, whose reader counts them. */
const formLimits = {
  fieldNameSize: 200,
  fieldSize: 4 * 1024,
  fields: 20,
  files: 5,
  parts: 25,
  headerPairs: 20,
  fileSize: Number.POSITIVE_INFINITY,
};

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
  readonly principal: HandlerContext['principal'];
  readonly method: string;
  readonly path: string;
  readonly requestId: string;
  readonly log: Logger;
  readonly #reply: FastifyReply;
  #gone: AbortController | undefined;

  constructor(request: FastifyRequest, reply: FastifyReply, operation: Operation, valid: Valid, log: Logger) {
    this.params = valid.params;
    this.query = valid.query;
    this.body = valid.body;
    this.idempotencyKey = valid.idempotencyKey;
    this.form = valid.isForm === true ? () => openParts(request, reply) : undefined;
    this.principal = (request.admitted as Admitted).principal;
    this.method = operation.method;
    this.path = operation.path;
    this.requestId = request.id;
    this.log = log;
    this.#reply = reply;
  }

  get signal(): AbortSignal {
    if (this.#gone === undefined) {
      const gone = new AbortController();
      this.#gone = gone;
      const { raw } = this.#reply;
      if (raw.destroyed) gone.abort();
      else raw.once('close', () => raw.writableFinished || gone.abort());
    }
    return this.#gone.signal;
  }
}

/** A form's file takes as long as it keeps its pace, which is for its reader to watch. */
function openParts(request: FastifyRequest, reply: FastifyReply): AsyncIterator<unknown> {
  const ownPace = keepOwnPace(request.raw);
  reply.raw.once('close', () => ownPace[Symbol.dispose]());
  if (request.raw.headers.expect !== undefined) reply.raw.writeContinue();
  return request.parts({ limits: formLimits });
}

function problemAnswer({ docsUrl, log }: RouteDependencies, error: unknown, request: FastifyRequest): Answer {
  const problem =
    error instanceof StudioFailure ? translateStudioFailure(error) : problemOfFault(faultOf(error));
  if (problem.code === 'internal_error')
    log.error(
      { request_id: request.id, operation: request.routeOptions.config.operationId, err: problem.cause },
      'a request failed',
    );
  return presentProblem(problem, { requestId: request.id, docsUrl });
}
