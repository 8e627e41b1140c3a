import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { errorsPage } from './errors-page.ts';
import { frontPage } from './front-page.ts';
import { pageHeaders } from './page.ts';
import { webhooksPage } from './webhooks-page.ts';

/** Pages for people and the OpenAPI document for programs; nobody needs a key for them. */
export async function addDocsRoutes(app: FastifyInstance): Promise<void> {
  const openapi = await readFile(fileURLToPath(import.meta.resolve('@renderkit/contract/openapi.json')));
  const pages = {
    '/': frontPage(),
    '/docs': frontPage(),
    '/docs/errors': errorsPage(),
    '/docs/webhooks': await webhooksPage(),
  };
  for (const [path, html] of Object.entries(pages))
    app.get(path, (_request, reply) => reply.headers(pageHeaders).send(html));
  app.get('/openapi.json', (_request, reply) =>
    reply
      .headers({
        'content-type': 'application/json',
        'cache-control': 'public, max-age=300',
        'access-control-allow-origin': '*',
        'x-content-type-options': 'nosniff',
      })
      .send(openapi),
  );
}
