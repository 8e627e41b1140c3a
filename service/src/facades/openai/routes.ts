import type { FastifyInstance } from 'fastify';
import type { FacadeScope } from '../facade-scope.ts';
import { createChat } from './chat.ts';
import { errorOfProblem, OpenAiRefusal } from './errors.ts';
import { createImages, type ImagesOptions } from './images.ts';
import { createModels } from './models.ts';

/**
 * OpenAI's API as far as it makes pictures, for whatever speaks it already: base URL `…/openai/v1`. It lies beside `/v1`,
 * which is ours.
 */
export function addOpenAiRoutes(app: FastifyInstance, openScope: FacadeScope, options: ImagesOptions): void {
  const images = createImages(options);
  const chat = createChat(options);
  const models = createModels(options);
  openScope<OpenAiRefusal>(app, {
    name: 'openai',
    prefix: '/openai/v1',
    send: (request, reply, error) => {
      const { status, headers, body } = error instanceof OpenAiRefusal ? error.answer : errorOfProblem(error);
      void reply.code(status).headers(headers).send(body);
    },
    isRefusal: (error) => error instanceof OpenAiRefusal,
    routes: (route) => {
      route({
        method: 'POST',
        url: '/images/generations',
        scope: 'generate',
        handler: images('generations'),
      });
      route({ method: 'POST', url: '/images/edits', scope: 'generate', handler: images('edits') });
      route({ method: 'POST', url: '/chat/completions', scope: 'generate', handler: chat });
      route({ method: 'GET', url: '/models', scope: 'read', handler: models.list });
      route({ method: 'GET', url: '/models/*', scope: 'read', handler: models.show });
    },
  });
}
