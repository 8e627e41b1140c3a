import type { Database } from '@renderkit/server-kit/database.ts';
import type { Logger } from '@renderkit/server-kit/logger.ts';
import type { FastifyInstance } from 'fastify';
import { isUnderMaintenance } from '../sign-in/authenticate.ts';
import { interactionPath } from '../sign-in/provider.ts';
import { type Answer, createSendPage, type SendPage } from '../sign-in/send-page.ts';
import { Refused, type Trouble, troublePage, troubles } from '../sign-in/trouble.ts';
import { createHandlers, type HandlerDependencies, type Visit } from './handlers.ts';
import { frontPage } from './pages.ts';
import { isOwnForm } from './own-form.ts';
import { readFields } from './read-fields.ts';
import { troubleOf } from './trouble-of.ts';

export type InteractionDependencies = HandlerDependencies & {
  database: Database;
  /** What browsers see. */
  publicUrl: string;
  log: Logger;
};

const formLimitBytes = 16 * 1024;

/** The pages on which people sign in, make an account and say what the client may do. Plain forms, no script. */
export function interactionRoutes(app: FastifyInstance, dependencies: InteractionDependencies): void {
  void app.register(async (scope) => registerPages(scope, dependencies), { prefix: interactionPath });
  // For whoever opens the studio's address to see what it is.
  const send = createSendPage(dependencies.client, dependencies.publicUrl);
  app.get('/', async (_request, reply) => send(reply, { page: frontPage(dependencies.client) }));
}

function registerPages(app: FastifyInstance, dependencies: InteractionDependencies): void {
  const { provider } = dependencies;
  const send = createSendPage(dependencies.client, dependencies.publicUrl);
  refuseInPages(app, dependencies, send);
  // JSON of many megabytes is for programs that are let in.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: formLimitBytes },
    (_request, body, done) => done(null, body),
  );
  const route = (method: 'GET' | 'POST', path: string, handle: (visit: Visit) => Promise<Answer>) =>
    app.route<{ Params: { uid: string } }>({
      method,
      url: `/:uid${path}`,
      handler: async (request, reply) => {
        const browser = [request.raw, reply.raw] as const;
        const interaction = await provider.interactionDetails(...browser);
        if (interaction.uid !== request.params.uid) throw new Refused(troubles.gone);
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

/** Whatever goes wrong is told as a page too. */
function refuseInPages(app: FastifyInstance, dependencies: InteractionDependencies, send: SendPage): void {
  const { client, database, log } = dependencies;
  const { origin } = new URL(dependencies.publicUrl);
  app.setErrorHandler((error, request, reply) => {
    const trouble: Trouble = troubleOf(error);
    if (trouble === troubles.failed)
      log.error({ err: error, request_id: request.id }, 'a sign-in page failed');
    return send(reply, { ...trouble, page: troublePage(trouble, client) });
  });
  app.setNotFoundHandler(() => {
    throw new Refused(troubles.nothingHere);
  });
  app.addHook('preHandler', async (request) => {
    if (request.method === 'POST' && !isOwnForm(request.headers, origin))
      throw new Refused(troubles.foreignForm);
    if (await isUnderMaintenance(database)) throw new Refused(troubles.maintenance);
  });
}
