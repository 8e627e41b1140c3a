import type { Scope } from '@renderkit/contract/v1/scopes.ts';
import { notFoundDetail } from '@renderkit/server-kit/http/route-methods.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../../identity/admission/principal.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import type { FacadeScope } from '../facade-scope.ts';
import { errorOfProblem } from './errors.ts';
import { createPictures, type PicturesOptions } from './pictures.ts';
import { createProgress, type ProgressOptions } from './progress.ts';
import { constantLists, createSettings, type SettingsOptions } from './settings.ts';

export type A1111Options = PicturesOptions & ProgressOptions & SettingsOptions;

/** The API of A1111's web UI as far as it draws. Its programs put the path at the root of a host, whatever was before it. */
export function addA1111Routes(app: FastifyInstance, openScope: FacadeScope, options: A1111Options): void {
  const pictures = createPictures(options);
  const progress = createProgress(options);
  const settings = createSettings(options);
  openScope<never>(app, {
    prefix: '/sdapi/v1',
    send: (_request, reply, problem) => {
      const { status, headers, body } = errorOfProblem(problem);
      void reply.code(status).headers(headers).send(body);
    },
    isRefusal: (_error): _error is never => false,
    routes: (scope) => {
      const route = (
        method: 'GET' | 'POST',
        url: string,
        accepted: Scope,
        handler: (request: never, reply: FastifyReply) => Promise<unknown>,
        counts?: (principal: Principal) => Promise<boolean>,
      ) =>
        scope.route({
          method,
          url,
          config: { operationId: `a1111 ${method} ${url}`, scope: accepted, ...(counts && { counts }) },
          handler: handler as (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
        });
      route('POST', '/txt2img', 'generate', pictures('txt2img'));
      route('POST', '/img2img', 'generate', pictures('img2img'));
      route('GET', '/progress', 'read', progress.show, progress.counts);
      route('POST', '/interrupt', 'generate', progress.interrupt);
      route('POST', '/skip', 'generate', progress.interrupt);
      route('GET', '/options', 'read', settings.show);
      route('POST', '/options', 'generate', settings.choose);
      route('GET', '/sd-models', 'read', settings.models);
      route('GET', '/samplers', 'read', settings.samplers);
      for (const [url, list] of Object.entries(constantLists))
        route('GET', url, 'read', async (_request, reply) => reply.send(list));
      scope.setNotFoundHandler((request) => {
        throw new ApiProblem('not_found', {
          detail: notFoundDetail(request, 'There is no such route here.'),
        });
      });
    },
  });
}
