import type { FastifyInstance } from 'fastify';
import { Refused, pageErrors } from '../pages/page-error.ts';
import { type PageDependencies, preparePages } from '../pages/page-scope.ts';
import { readFields } from '../pages/read-fields.ts';
import type { Answer } from '../pages/send-page.ts';
import { signInPath } from '../provider/provider.ts';
import { createHandlers, type HandlerDependencies, type Visit } from './handlers.ts';

/**
 * Registers the pages to sign in, to create an account and to allow the client. They use plain forms without script.
 */
export function signInPageRoutes(
  app: FastifyInstance,
  dependencies: HandlerDependencies & PageDependencies,
): void {
  void app.register(async (scope) => registerPages(scope, dependencies), { prefix: signInPath });
}

function registerPages(app: FastifyInstance, dependencies: HandlerDependencies & PageDependencies): void {
  const { provider } = dependencies;
  const send = preparePages(app, dependencies);
  const route = (method: 'GET' | 'POST', path: string, handle: (visit: Visit) => Promise<Answer>) =>
    app.route<{ Params: { uid: string } }>({
      method,
      url: `/:uid${path}`,
      handler: async (request, reply) => {
        const browser = [request.raw, reply.raw] as const;
        const interaction = await provider.interactionDetails(...browser);
        if (interaction.uid !== request.params.uid) throw new Refused(pageErrors.gone);
        const fields = readFields(request.body);
        return send(reply, await handle({ interaction, browser, fields, address: request.ip }));
      },
    });
  const handlers = createHandlers(dependencies);
  route('GET', '', handlers.show);
  route('POST', '', handlers.signIn);
  route('GET', '/other', handlers.showSignIn);
  route('GET', '/sign-up', handlers.showSignUp);
  route('POST', '/sign-up', handlers.signUp);
  route('POST', '/consent', handlers.consent);
  route('POST', '/cancel', handlers.cancel);
}
