import { createHash } from 'node:crypto';

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

/** Stands in for the console where its files are not there; everything else of the service works without them. */
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
<li>Where each part is started alone, build it once with <code>npx vite build console</code> and start the service again,
or let <code>CONSOLE_DIRECTORY</code> name the folder that holds its <code>index.html</code>.</li>
</ul>
<p>The <a href="/docs">HTTP API</a> works without it.</p>
</main>
</body>
</html>
`;
}
