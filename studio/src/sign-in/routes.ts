import type { Logger } from '@renderkit/server-kit/logger.ts';
import type { FastifyInstance } from 'fastify';
import type Provider from 'oidc-provider';
import { issuerPath } from './provider.ts';

/** Hands everything below the issuer's path to the OpenID provider, which reads bodies itself. */
export function signInRoutes(app: FastifyInstance, provider: Provider, log: Logger): void {
  // Without listeners they would be printed as they are.
  provider.on('error', (error) => log.error({ err: error }, 'sign-in failed'));
  provider.on('server_error', (_context, error) => log.error({ err: error }, 'sign-in failed'));
  const callback = provider.callback();
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.all(`${issuerPath}/*`, async (request, reply) => {
      reply.hijack();
      const raw = request.raw as typeof request.raw & { originalUrl?: string };
      raw.originalUrl = raw.url ?? '';
      raw.url = raw.originalUrl.slice(issuerPath.length);
      await callback(raw, reply.raw);
    });
  });
}
