import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import { consoleAddresses } from '@renderkit/contract/console/addresses.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createOwnAddress, pathPrefixOf, withPathPrefix } from '../own-address.ts';
import { ApiProblem } from '../problems/api-problem.ts';

const nonceBytes = 16;
/**
 * A placeholder in the built page. It is replaced with the nonce of the answer, which styles made in the browser need.
 */
const noncePlace = '__NONCE__';
/** A placeholder for the path below which the service is reached. */
const pathPlace = '__PATH__';
/** The folder of built files whose names contain the hash of their content. */
const hashedFiles = 'assets/';

// Path segments that are empty or begin with a dot never name a file of the console.
const filePath = /^(?:[\w@~+-][\w.@~+-]*\/)*[\w@~+-][\w@~+-]*\.[\w.@~+-]+$/;

/**
 * Serves the built console: its files, and the application for every other address below /console. The application
 * finds the page of an address itself. This needs no session; the application asks the console's API for its data.
 */
export async function addConsoleFiles(
  app: FastifyInstance,
  options: { consoleDirectory: string; publicUrl: string; studioPublicUrl: string; mediaOrigin?: string },
): Promise<void> {
  const { consoleDirectory: root, publicUrl } = options;
  const ownAddress = createOwnAddress(publicUrl);
  const sources = [
    options.studioPublicUrl,
    ...(options.mediaOrigin === undefined ? [] : [options.mediaOrigin]),
  ];
  const headersOf = pageHeaders(sources.map(sourceOf).join(' '));
  // Compressed when the console was built.
  await app.register(fastifyStatic, { root, serve: false, preCompressed: true, suppressWarning: true });

  const showPage = async (request: FastifyRequest, reply: FastifyReply) => {
    const address = ownAddress(request);
    if (address !== undefined) return reply.redirect(address);
    const page = await readFile(path.join(root, 'index.html'), 'utf8').catch(ifMissing);
    if (page === undefined)
      return reply.code(503).headers(notBuiltHeaders).send(withPathPrefix(notBuiltPage(), publicUrl));
    const nonce = randomBytes(nonceBytes).toString('base64');
    const own = withPathPrefix(page, publicUrl).replaceAll(pathPlace, pathPrefixOf(publicUrl));
    return reply.headers(headersOf(nonce)).send(own.replaceAll(noncePlace, nonce));
  };
  const { home } = consoleAddresses;
  app.get(home, showPage);
  app.get(`${home}/*`, async (request, reply) => {
    const file = (request.params as { '*': string })['*'];
    const isFile = (file.split('/').at(-1) ?? '').includes('.');
    if (!isFile || file === 'index.html') return showPage(request, reply);
    if (!filePath.test(file))
      throw new ApiProblem('not_found', { detail: 'There is nothing at this address.' });
    reply.headers(fileHeaders);
    return file.startsWith(hashedFiles)
      ? reply.sendFile(file, { maxAge: '365d', immutable: true })
      : reply.sendFile(file, { maxAge: '5m' });
  });
}

const fileHeaders = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  // An SVG is also a document when somebody opens its address directly.
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'",
};

/**
 * Allows scripts only from our own files, images and videos also from the media addresses. Styles that the application
 * creates carry the nonce. Frames show the documents.
 */
function pageHeaders(media: string): (nonce: string) => Record<string, string> {
  return (nonce) => ({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      `img-src 'self' blob: data: ${media}`,
      `media-src 'self' blob: data: ${media}`,
      "connect-src 'self'",
      "font-src 'self'",
      "manifest-src 'self'",
      "frame-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join('; '),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
  });
}

/** Returns the source for a content policy. A policy cannot contain an IPv6 address, so only its scheme is named. */
function sourceOf(address: string): string {
  const { hostname, origin, protocol } = new URL(address);
  return hostname.startsWith('[') ? protocol : origin;
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw error;
}

const style = `
:root { color-scheme: light dark; }
body { margin: 0 auto; max-width: 38rem; padding: 4rem 1.25rem; font: 1rem/1.6 system-ui, sans-serif; }
h1 { font-size: 1.5rem; letter-spacing: -.02em; }
code { font: .9em ui-monospace, Menlo, Consolas, monospace; }
`;

export const notBuiltHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

/** Returns the page that is shown when the console's files are missing. The rest of the service works without them. */
export function notBuiltPage(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The console is not built</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>The console is not built</h1>
<p>The service runs, but the files of its console are not where it looks for them.</p>
<ul>
<li><code>npm start</code> builds the console by itself when its sources have changed.</li>
<li>Where each part is started alone, build it once with <code>npm run build</code> and start the service again,
or let <code>CONSOLE_DIRECTORY</code> name the folder that holds its <code>index.html</code>.</li>
</ul>
<p>The <a href="/docs">HTTP API</a> works without it.</p>
</main>
</body>
</html>
`;
}
