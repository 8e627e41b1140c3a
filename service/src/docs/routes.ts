import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pathPrefixOf, withPathPrefix } from '../own-address.ts';
import { errorsPage } from './errors-page.ts';
import { frontPage } from './front-page.ts';
import { pageHeaders } from './page.ts';
import { readPlainDocuments } from './plain-documents.ts';
import {
  referenceHeaders,
  referencePage,
  referenceScriptPath,
  referenceStart,
  referenceStartPath,
  createReferenceScript,
} from './reference-page.ts';
import { sandboxPage } from './sandbox-page.ts';
import { webhooksPage } from './webhooks-page.ts';

const scriptHeaders = {
  'content-type': 'text/javascript; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

const plainHeaders = {
  'cache-control': 'public, max-age=300',
  'access-control-allow-origin': '*',
  'x-content-type-options': 'nosniff',
};

/** The only server in the OpenAPI document: the address that the document came from. */
const serverAtRoot = '"url": "/"';

export type DocsOptions = {
  /** The address at which clients reach the service. */
  publicUrl: string;
};

/**
 * Serves pages for people, and the OpenAPI document and plain texts for programs. None of them needs a key.
 * `tools/openapi-document.ts` generates the OpenAPI document.
 */
export async function addDocsRoutes(app: FastifyInstance, { publicUrl }: DocsOptions): Promise<void> {
  const document = await readFile(
    fileURLToPath(import.meta.resolve('@renderkit/contract/openapi.json')),
    'utf8',
  );
  const prefix = pathPrefixOf(publicUrl);
  const openapi = prefix === '' ? document : document.replace(serverAtRoot, `"url": "${prefix}"`);
  const pages = {
    '/': frontPage(),
    '/docs/errors': errorsPage(),
    '/docs/sandbox': sandboxPage(),
    '/docs/webhooks': await webhooksPage(),
  };
  for (const [path, html] of Object.entries(pages))
    app.get(path, (_request, reply) => reply.headers(pageHeaders).send(withPathPrefix(html, publicUrl)));
  app.get('/docs', (_request, reply) =>
    reply.headers(referenceHeaders).send(withPathPrefix(referencePage(), publicUrl)),
  );
  const plain = await readPlainDocuments(publicUrl);
  app.get('/llms.txt', (_request, reply) =>
    reply.headers({ ...plainHeaders, 'content-type': 'text/plain; charset=utf-8' }).send(plain.index),
  );
  for (const [path, text] of Object.entries(plain.documents))
    app.get(path, (_request, reply) =>
      reply.headers({ ...plainHeaders, 'content-type': 'text/markdown; charset=utf-8' }).send(text),
    );
  addScripts(app, publicUrl);
  app.get('/openapi.json', (_request, reply) =>
    reply.headers({ ...plainHeaders, 'content-type': 'application/json' }).send(openapi),
  );
}

function addScripts(app: FastifyInstance, publicUrl: string): void {
  const readScript = createReferenceScript();
  app.get(referenceStartPath, (_request, reply) =>
    reply
      .headers({ ...scriptHeaders, 'cache-control': 'public, max-age=300' })
      .send(withPathPrefix(referenceStart, publicUrl)),
  );
  app.get(referenceScriptPath, async (request: FastifyRequest, reply: FastifyReply) => {
    const { text, gzipped, etag } = await readScript();
    reply.headers({
      ...scriptHeaders,
      etag,
      vary: 'accept-encoding',
      'cache-control': 'public, max-age=3600',
    });
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(
      request.headers['accept-encoding'] ?? '',
    );
    return takesGzip ? reply.header('content-encoding', 'gzip').send(gzipped) : reply.send(text);
  });
}
