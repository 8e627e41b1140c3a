import { acceptedScopes } from '@renderkit/contract/v1/operations.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Handlers } from './handler.ts';
import type { Admission, Admitted } from './identity/admission/admit.ts';
import {
  addOperations,
  prepareScope,
  refuseOverLimit,
  type Serving,
  unknownRoute,
} from './operation-routes.ts';
import { ApiProblem } from './problems/api-problem.ts';

export type RouteDependencies = { admission: Admission; handlers: Handlers; serving: Serving };

/**
 * Routes all of /v1. A request is judged in this order, and the first failure is the answer: who asks, how often,
 * whether there is such a route, whether the key's scopes reach it (all before a byte of the body is read), then
 * the form of headers, query and body.
 */
export function registerRoutes(app: FastifyInstance, dependencies: RouteDependencies): void {
  const { admission, handlers, serving } = dependencies;
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
