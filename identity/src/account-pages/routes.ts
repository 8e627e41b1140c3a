import type { FastifyInstance } from 'fastify';
import { type PageDependencies, preparePages } from '../pages/page-scope.ts';
import { readFields } from '../pages/read-fields.ts';
import { type Answer, createSendPage } from '../pages/send-page.ts';
import { type ChangeDependencies, changePasswordByForm, showChangePassword } from './change-password.ts';
import { frontPage } from './pages.ts';
import { paths } from './paths.ts';
import { resetPasswordByForm, showResetPassword } from './reset-password.ts';
import type { Visit } from './visit.ts';

/** Registers the pages of an account and the studio's front page. They use plain forms without script. */
export function accountPageRoutes(
  app: FastifyInstance,
  dependencies: PageDependencies & ChangeDependencies,
): void {
  void app.register(async (scope) => registerPages(scope, dependencies), { prefix: paths.account });
  const send = createSendPage(dependencies.client, dependencies.publicUrl);
  // For people who open the studio's address to see what it is.
  app.get('/', async (_request, reply) => send(reply, { page: frontPage(dependencies.client) }));
  app.get(paths.wellKnown, async (request, reply) => {
    const query = request.url.slice(paths.wellKnown.length);
    return send(reply, { goTo: paths.changePassword + query });
  });
}

function registerPages(app: FastifyInstance, dependencies: PageDependencies & ChangeDependencies): void {
  const send = preparePages(app, dependencies);
  const route = (method: 'GET' | 'POST', path: string, handle: (visit: Visit) => Promise<Answer>) =>
    app.route({
      method,
      url: path.slice(paths.account.length),
      handler: async (request, reply) => {
        const query = new URL(request.url, dependencies.publicUrl).searchParams;
        const fields = readFields(request.body);
        const browser = [request.raw, reply.raw] as const;
        return send(reply, await handle({ browser, query, fields, address: request.ip }));
      },
    });
  route('GET', paths.changePassword, (visit) => showChangePassword(visit, dependencies));
  route('POST', paths.changePassword, (visit) => changePasswordByForm(visit, dependencies));
  route('GET', paths.resetPassword, (visit) => showResetPassword(visit, dependencies));
  route('POST', paths.resetPassword, (visit) => resetPasswordByForm(visit, dependencies));
}
