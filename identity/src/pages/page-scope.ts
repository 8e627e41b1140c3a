import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { FastifyInstance } from 'fastify';
import type { IdentityStore } from '../identity-store.ts';
import { errorPage, type PageError, pageErrorOf, pageErrors, Refused } from './page-error.ts';
import type { ClientFacts } from './page.ts';
import { createSendPage, type SendPage } from './send-page.ts';

const formLimitBytes = 16 * 1024;

export type PageDependencies = {
  store: IdentityStore;
  client: ClientFacts;
  /** The studio's address for browsers. */
  publicUrl: string;
  log: Logger;
};

/**
 * Prepares a scope for pages: it reads plain forms from its own pages only, and shows every error as a page. Returns
 * the function that sends answers.
 */
export function preparePages(scope: FastifyInstance, dependencies: PageDependencies): SendPage {
  const { client, store, log, publicUrl } = dependencies;
  const { origin } = new URL(publicUrl);
  const send = createSendPage(client, publicUrl);
  // Large JSON bodies are only for authenticated programs.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: formLimitBytes },
    (_request, body, done) => done(null, body),
  );
  scope.setErrorHandler((error, request, reply) => {
    const pageError: PageError = pageErrorOf(error);
    if (pageError === pageErrors.failed)
      log.error({ err: error, request_id: request.id }, 'a sign-in page failed');
    return send(reply, { ...pageError, page: errorPage(pageError, client) });
  });
  scope.setNotFoundHandler(() => {
    throw new Refused(pageErrors.nothingHere);
  });
  scope.addHook('preHandler', async (request) => {
    if (request.method === 'POST' && !isOwnForm(request.headers, origin))
      throw new Refused(pageErrors.foreignForm);
    if (await store.isUnderMaintenance()) throw new Refused(pageErrors.maintenance);
  });
  return send;
}

/**
 * Returns whether one of the studio's own pages sent a form. Browsers report this in Sec-Fetch-Site, except to plain
 * http addresses other than loopback; there, the Origin must be ours. A request without both headers is not from a
 * browser's form.
 */
function isOwnForm(headers: IncomingHttpHeaders, ownOrigin: string): boolean {
  const site = headers['sec-fetch-site'];
  // `none`: a person reloads the answer to a form.
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  return headers.origin === ownOrigin;
}
