import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { FastifyInstance } from 'fastify';
import type Provider from 'oidc-provider';
import { Refused, pageErrorOf, errorPage, pageErrors } from '../pages/page-error.ts';
import type { ClientFacts } from '../pages/page.ts';
import { createSendPage } from '../pages/send-page.ts';
import { issuerPath } from './provider.ts';

export type SignInDependencies = {
  provider: Provider;
  client: ClientFacts;
  /** The studio's address for browsers. */
  publicUrl: string;
  /**
   * Counts the start of a sign-in from an address. Returns the seconds to wait when there are too many.
   * `identity/src/passwords/throttle.ts` implements this.
   */
  admitBegin: (address: string) => Promise<number | undefined>;
  log: Logger;
};

// The provider's router ignores case and a slash at the end.
const beginsSignIn = new RegExp(`^${issuerPath}/auth/?(?:[?]|$)`, 'i');

/** Passes all requests below the issuer's path to the OpenID provider, which reads bodies itself. */
export function providerRoutes(app: FastifyInstance, dependencies: SignInDependencies): void {
  const { provider, client, log } = dependencies;
  // Without listeners, the provider would print its errors to the console.
  provider.on('error', (error) => log.error({ err: error }, 'sign-in failed'));
  provider.on('server_error', (_context, error) => log.error({ err: error }, 'sign-in failed'));
  const callback = provider.callback();
  const send = createSendPage(client, dependencies.publicUrl);
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.setErrorHandler((error, request, reply) => {
      const pageError = pageErrorOf(error);
      if (pageError === pageErrors.failed)
        log.error({ err: error, request_id: request.id }, 'sign-in failed');
      return send(reply, { ...pageError, page: errorPage(pageError, client) });
    });
    scope.addHook('onRequest', async (request) => {
      if (!beginsSignIn.test(request.url)) return;
      const retryAfterSeconds = await dependencies.admitBegin(request.ip);
      if (retryAfterSeconds !== undefined)
        throw new Refused({ ...pageErrors.tooManyBegun, retryAfterSeconds });
    });
    scope.all(`${issuerPath}/*`, async (request, reply) => {
      reply.hijack();
      const raw = request.raw as typeof request.raw & { originalUrl?: string };
      raw.originalUrl = raw.url ?? '';
      raw.url = raw.originalUrl.slice(issuerPath.length);
      await callback(raw, reply.raw);
    });
  });
}
