import type { FastifyInstance } from 'fastify';
import type { FacadeScope } from '../facade-scope.ts';
import { errorOfProblem } from './errors.ts';
import { createImages, type ImagesOptions } from './images.ts';
import { createProgress, type ProgressOptions } from './progress.ts';
import { constantLists, createSettings, type SettingsOptions } from './settings.ts';

export type A1111Options = ImagesOptions & ProgressOptions & SettingsOptions;

/**
 * Adds the API of A1111's web UI, as far as it makes pictures. Its programs put the path at the root of a host and drop
 * any path before it.
 */
export function addA1111Routes(app: FastifyInstance, openScope: FacadeScope, options: A1111Options): void {
  const pictures = createImages(options);
  const progress = createProgress(options);
  const settings = createSettings(options);
  openScope<never>(app, {
    name: 'a1111',
    prefix: '/sdapi/v1',
    send: (_request, reply, problem) => {
      const { status, headers, body } = errorOfProblem(problem);
      void reply.code(status).headers(headers).send(body);
    },
    isRefusal: (_error): _error is never => false,
    routes: (route) => {
      route({ method: 'POST', url: '/txt2img', scope: 'generate', handler: pictures('txt2img') });
      route({ method: 'POST', url: '/img2img', scope: 'generate', handler: pictures('img2img') });
      route({
        method: 'GET',
        url: '/progress',
        scope: 'read',
        handler: progress.show,
        counts: progress.counts,
      });
      route({ method: 'POST', url: '/interrupt', scope: 'generate', handler: progress.interrupt });
      route({ method: 'POST', url: '/skip', scope: 'generate', handler: progress.interrupt });
      route({ method: 'GET', url: '/options', scope: 'read', handler: settings.show });
      route({ method: 'POST', url: '/options', scope: 'generate', handler: settings.choose });
      route({ method: 'GET', url: '/sd-models', scope: 'read', handler: settings.models });
      route({ method: 'GET', url: '/samplers', scope: 'read', handler: settings.samplers });
      for (const [url, list] of Object.entries(constantLists))
        route({ method: 'GET', url, scope: 'read', handler: async (_request, reply) => reply.send(list) });
    },
  });
}
