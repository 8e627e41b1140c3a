import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import fastify from 'fastify';
import { linkBar } from './page.ts';

/** The addresses of the two scripts that the page runs. */
export const referenceScriptPath = '/docs/reference.js';
export const referenceStartPath = '/docs/reference-start.js';

const barStyle = `
:root { color-scheme: light dark; --scalar-custom-header-height: 3.1rem; }
body { margin: 0; font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
.bar { position: sticky; top: 0; z-index: 100; box-sizing: border-box; height: 3.1rem; display: flex; gap: 1.5rem; align-items: center;
  padding: 0 1.25rem; overflow-x: auto; background: #fcfcfb; border-bottom: 1px solid #dfe0e2; font-size: .95rem; white-space: nowrap; }
.bar nav { display: flex; gap: 1.25rem; }
.bar a { color: #60646c; text-decoration: none; border-bottom: 2px solid transparent; }
.bar a:hover, .bar a[aria-current], .bar .brand { color: #1c2024; }
.bar a[aria-current] { border-color: #0b6e6e; }
.bar .brand { margin-right: auto; font-weight: 650; letter-spacing: -.01em; }
noscript p { max-width: 40rem; margin: 3rem auto; padding: 0 1.25rem; }
@media (prefers-color-scheme: dark) {
  .bar { background: #14171a; border-color: #2c3137; }
  .bar a { color: #9aa0a8; }
  .bar a:hover, .bar a[aria-current], .bar .brand { color: #e6e7e9; }
  .bar a[aria-current] { border-color: #5cc8c1; }
}
`;

/** Turns off everything that makes the program contact other servers. The page's headers forbid these requests too. */
const configuration = {
  url: '/openapi.json',
  proxyUrl: '',
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  // The program's own samples have no real ids or files. The document contains samples that a test runs.
  hiddenClients: true,
  showDeveloperTools: 'never',
  persistAuth: false,
  documentDownloadType: 'none',
  orderSchemaPropertiesBy: 'preserve',
  // The page follows the system's setting, as the other pages do.
  hideDarkModeToggle: true,
  theme: 'default',
  metaData: { title: 'Renderkit: the API' },
};

/** The script that starts the program after it has loaded. */
export const referenceStart = `const system = matchMedia('(prefers-color-scheme: dark)').matches;
Scalar.createApiReference('#reference', { ...${JSON.stringify(configuration)}, darkMode: system });
`;

/** The program creates its own styles, so inline styles are allowed. Requests to other servers are not. */
export const referenceHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'unsafe-inline'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'public, max-age=300',
};

/** The reference of the API. The browser builds it from the OpenAPI document. */
export function referencePage(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Renderkit: the API</title>
<style>${barStyle}</style>
</head>
<body>
${linkBar('/docs')}
<noscript><p>This page draws the API with a script. Without one, read <a href="/openapi.json">the OpenAPI document</a>.</p></noscript>
<div id="reference"></div>
<script src="${referenceScriptPath}" defer></script>
<script src="${referenceStartPath}" defer></script>
</body>
</html>
`;
}

const compress = promisify(gzip);
const route = '/reference';

/** The program that draws the API reference in a browser. */
export type ReferenceScript = { text: Buffer; gzipped: Buffer; etag: string };

/**
 * Makes a function that returns the program. The program has 4 MB and most processes never need it, so the first call
 * reads it.
 */
export function createReferenceScript(): () => Promise<ReferenceScript> {
  let script: Promise<ReferenceScript> | undefined;
  return () => {
    script ??= readScript().catch((error: unknown) => {
      script = undefined;
      throw error;
    });
    return script;
  };
}

/** The package serves its program only through a route, so it gets a server that does not listen. */
async function readScript(): Promise<ReferenceScript> {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  await using server = fastify();
  await server.register(reference, { routePrefix: route, configuration: { url: '/openapi.json' } });
  const answer = await server.inject(`${route}/js/scalar.js`);
  if (answer.statusCode !== 200 || answer.rawPayload.length === 0)
    throw new Error('the package of the API reference gives no program');
  const text = answer.rawPayload;
  return {
    text,
    gzipped: await compress(text),
    etag: `"${createHash('sha256').update(text).digest('base64url')}"`,
  };
}
