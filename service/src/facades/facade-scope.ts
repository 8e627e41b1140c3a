import type { Scope } from '@renderkit/contract/v1/scopes.ts';
import { httpErrorOf } from '@renderkit/server-kit/http/create-http-server.ts';
import { notFoundDetail } from '@renderkit/server-kit/http/route-methods.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Admission, type Admitted, refuseOverLimit } from '../identity/admission/admit.ts';
import type { Principal } from '../identity/admission/principal.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import { problemOfHttpError } from '../problems/problem-of-error.ts';
import { StudioFailure } from '../studio-client/studio-failure.ts';
import { translateStudioFailure } from '../studio-client/translate-error.ts';
import type { DeleteUpload } from '../uploads/delete-upload.ts';
import { BroughtFiles } from './brought-files.ts';
import { readFacadeKey } from './facade-key.ts';
import type { FacadeName } from './facade-names.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope that a key needs for a route of a facade. */
    scope?: Scope;
    /** Returns whether a request of such a route counts towards its key's rate per minute. Default: it counts. */
    counts?: (principal: Principal) => Promise<boolean>;
  }
}

type RouteOf<Request> = {
  method: 'GET' | 'POST' | 'DELETE';
  /** The path after the facade's prefix. */
  url: string;
  /** The scope that a key needs. */
  scope: Scope;
  handler: (request: Request, reply: FastifyReply) => Promise<unknown>;
  /** Returns whether a request counts towards its key's rate per minute. Default: it counts. */
  counts?: (principal: Principal) => Promise<boolean>;
};

export type AddRoute = (route: RouteOf<never>) => void;

/**
 * Opens the scope of one facade, with the same keys, rate and scopes as `/v1`. Refusals have the facade's own format,
 * also for unknown paths.
 */
export type FacadeScope = <Refusal extends Error>(
  app: FastifyInstance,
  facade: {
    /** The name of its operations in metrics. */
    name: FacadeName;
    prefix: string;
    routes: (route: AddRoute) => void;
    /** Sends a problem, or a refusal of the facade's own. */
    send: (request: FastifyRequest, reply: FastifyReply, error: ApiProblem | Refusal) => void;
    /** Returns whether an error is a refusal of the facade's own. */
    isRefusal: (error: unknown) => error is Refusal;
    /** Returns the message for an unknown path. */
    describeUnknownRoute?: (path: string) => string;
  },
) => void;

/**
 * Never logs bodies of facades, because some clients send all of their settings. The scope of each route is in
 * `openai/routes.ts` and `a1111/routes.ts`.
 */
export function createFacadeScope({
  admission,
  deleteUpload,
  log,
}: {
  admission: Admission;
  deleteUpload: DeleteUpload;
  log: Logger;
}): FacadeScope {
  return (app, { name, prefix, routes, send, isRefusal, describeUnknownRoute }) =>
    void app.register(
      (scope, _options, done) => {
        scope.addHook('onRequest', async (request, reply) => {
          request.startedAt = performance.now();
          request.brought = new BroughtFiles({ deleteUpload, log });
          // The server leaves a query as text, because `/v1` parses it strictly.
          request.query = Object.fromEntries(
            new URLSearchParams((request.query as string | undefined) ?? ''),
          );
          reply.header('x-request-id', request.id).header('cache-control', 'no-store');
          const { scope: needed, counts } = request.routeOptions.config;
          const admitted = await admit(admission, request, counts);
          request.admitted = admitted;
          reply
            .header('x-ratelimit-limit', String(admitted.limit))
            .header('x-ratelimit-remaining', String(Math.max(0, admitted.limit - admitted.number)));
          if (needed !== undefined && !admitted.principal.scopes.has(needed))
            throw new ApiProblem('forbidden', { detail: `The key lacks the scope ${needed}.` });
        });
        const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
          if (isRefusal(error)) return send(request, reply, error);
          const problem =
            error instanceof StudioFailure
              ? translateStudioFailure(error)
              : problemOfHttpError(httpErrorOf(error));
          if (problem.code === 'internal_error')
            log.error({ request_id: request.id, prefix, err: problem.cause }, 'a request of a facade failed');
          send(request, reply, problem);
        };
        scope.setErrorHandler((error, request, reply) => {
          refuse(error, request, reply);
          // Removes files after the answer, so that a hanging studio delays no answer. A file with a row can always be
          // found again.
          void request.brought?.remove();
        });
        scope.setNotFoundHandler((request) => {
          const otherwise =
            describeUnknownRoute?.(request.url.split('?')[0] ?? '') ?? 'There is no such route here.';
          throw new ApiProblem('not_found', { detail: notFoundDetail(request, otherwise) });
        });
        routes(({ method, url, scope: needed, handler, counts }) =>
          scope.route({
            method,
            url,
            config: { operationId: `${name} ${method} ${url}`, scope: needed, ...(counts && { counts }) },
            handler: handler as RouteOf<FastifyRequest>['handler'],
          }),
        );
        done();
      },
      { prefix },
    );
}

async function admit(
  admission: Admission,
  request: FastifyRequest,
  counts: ((principal: Principal) => Promise<boolean>) | undefined,
): Promise<Admitted> {
  const proof = readFacadeKey(request.raw);
  if (counts !== undefined) {
    const uncounted = await admission.admitProof(proof, { isCounted: false });
    if (!(await counts(uncounted.principal))) return uncounted;
  }
  const admitted = await admission.admitProof(proof);
  refuseOverLimit(admitted, 'key');
  return admitted;
}
