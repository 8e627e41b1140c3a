import type { Scope } from '@renderkit/contract/v1/scopes.ts';
import { notFoundDetail } from '@renderkit/server-kit/http/route-methods.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiProblem } from '../../problems/api-problem.ts';
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
    prefix: '/openai/v1',
    send: (request, reply, error) => {
      const { status, headers, body } = error instanceof OpenAiRefusal ? error.answer : errorOfProblem(error);
      void reply.code(status).headers(headers).send(body);
    },
    isRefusal: (error) => error instanceof OpenAiRefusal,
    routes: (scope) => {
      const route = (
        method: 'GET' | 'POST',
        url: string,
        accepted: Scope,
        handler: (request: never, reply: FastifyReply) => Promise<unknown>,
      ) =>
        scope.route({
          method,
          url,
          config: { operationId: `openai ${method} ${url}`, scope: accepted },
          handler: handler as (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
        });
      route('POST', '/images/generations', 'generate', images('generations'));
      route('POST', '/images/edits', 'generate', images('edits'));
      route('POST', '/chat/completions', 'generate', chat);
      route('GET', '/models', 'read', models.list);
      route('GET', '/models/*', 'read', models.show);
      scope.setNotFoundHandler((request) => {
        throw new ApiProblem('not_found', {
          detail: notFoundDetail(request, 'There is no such route here.'),
        });
      });
    },
  });
}
