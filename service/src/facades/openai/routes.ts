import type { FastifyInstance } from 'fastify';
import type { AddRoute, FacadeScope } from '../facade-scope.ts';
import { createChat } from './chat.ts';
import { createVideoCreates } from './create-video.ts';
import { errorOfProblem, OpenAiRefusal, openAiRefusal } from './errors.ts';
import { createImages } from './images.ts';
import { createModels } from './models.ts';
import { createVideoReads, type VideosOptions } from './videos.ts';

/**
 * Adds OpenAI's API, as far as it makes pictures and videos, for clients that already use it. Its base URL is
 * `…/openai/v1`, separate from `/v1`, which is the service's own API.
 */
export function addOpenAiRoutes(app: FastifyInstance, openScope: FacadeScope, options: VideosOptions): void {
  const images = createImages(options);
  const chat = createChat(options);
  const models = createModels(options);
  const create = createVideoCreates(options);
  const videos = createVideoReads(options);
  const open = (prefix: string, routes: (route: AddRoute) => void) =>
    openScope<OpenAiRefusal>(app, {
      name: 'openai',
      prefix,
      routes,
      send: (_request, reply, error) => {
        const { status, headers, body } =
          error instanceof OpenAiRefusal ? error.answer : errorOfProblem(error);
        void reply.code(status).headers(headers).send(body);
      },
      isRefusal: (error) => error instanceof OpenAiRefusal,
      describeUnknownRoute,
    });
  // Answers requests whose base URL lacks `/v1`: these clients only show errors in this format.
  open('/openai', () => undefined);
  open('/openai/v1', (route) => {
    route({
      method: 'POST',
      url: '/images/generations',
      scope: 'generate',
      handler: images('generations'),
    });
    route({ method: 'POST', url: '/images/edits', scope: 'generate', handler: images('edits') });
    route({ method: 'POST', url: '/images/variations', scope: 'generate', handler: refuseVariations });
    route({ method: 'POST', url: '/chat/completions', scope: 'generate', handler: chat });
    route({ method: 'POST', url: '/videos', scope: 'generate', handler: create('videos') });
    route({ method: 'POST', url: '/videos/edits', scope: 'generate', handler: create('videos.edits') });
    route({
      method: 'POST',
      url: '/videos/extensions',
      scope: 'generate',
      handler: create('videos.extensions'),
    });
    route({
      method: 'POST',
      url: '/videos/:id/remix',
      scope: 'generate',
      handler: create('videos.remix'),
    });
    route({ method: 'GET', url: '/videos', scope: 'read', handler: videos.list });
    route({ method: 'GET', url: '/videos/:id', scope: 'read', handler: videos.show });
    route({ method: 'GET', url: '/videos/:id/content', scope: 'read', handler: videos.content });
    route({ method: 'DELETE', url: '/videos/:id', scope: 'library', handler: videos.remove });
    route({ method: 'GET', url: '/models', scope: 'read', handler: models.list });
    route({ method: 'GET', url: '/models/*', scope: 'read', handler: models.show });
  });
}

/** Returns a message about an unknown path, which explains the most common wrong settings. */
function describeUnknownRoute(path: string): string {
  if (!/^\/openai\/v1\/(?!v1(?:\/|$))/.test(path))
    return 'There is no such route here: the base URL ends in /openai/v1, and nothing follows it.';
  if (/^\/openai\/v1\/(?:responses|completions)(?:\/|$)/.test(path))
    return (
      'There is no such route here: take POST /chat/completions (in the AI SDK openai.chat(id)), ' +
      'or POST /images/generations (openai.image(id)).'
    );
  return 'There is no such route here.';
}

/** Refuses variations, because every model that changes a picture needs a prompt. */
function refuseVariations(): Promise<never> {
  const message = 'Variations are not made here: POST /images/edits changes a picture by a prompt.';
  return Promise.reject(openAiRefusal(400, 'unsupported', message, null));
}
