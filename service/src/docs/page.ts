import { createHash } from 'node:crypto';

const style = `
:root { color-scheme: light dark; --ink: #1c2024; --paper: #fcfcfb; --soft: #60646c; --line: #dfe0e2; --accent: #0b6e6e; --tint: #eef4f3; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e7e9; --paper: #14171a; --soft: #9aa0a8; --line: #2c3137; --accent: #5cc8c1; --tint: #1b2426; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 46rem; padding: 3rem 1.25rem 6rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { margin: 0 0 .25rem; font-size: 1.9rem; letter-spacing: -.02em; }
.lead { margin: 0 0 2rem; color: var(--soft); }
a { color: var(--accent); text-underline-offset: .2em; }
code { font: .9em ui-monospace, "SF Mono", Menlo, Consolas, monospace; background: var(--tint); border-radius: .3em; padding: .1em .35em; }
.bar { display: flex; flex-wrap: wrap; gap: .35rem 1.5rem; align-items: baseline; margin: -1.75rem 0 2.75rem; padding-bottom: .8rem;
  border-bottom: 1px solid var(--line); font-size: .95rem; }
.bar a { color: var(--soft); text-decoration: none; padding: .15rem 0; border-bottom: 2px solid transparent; }
.bar a:hover { color: var(--ink); }
.bar a[aria-current] { color: var(--ink); border-color: var(--accent); }
.bar .brand { margin-right: auto; color: var(--ink); font-weight: 650; letter-spacing: -.01em; }
.bar nav { display: flex; flex-wrap: wrap; gap: .35rem 1.25rem; }
nav ul { columns: 3 12rem; padding: 0; margin: 0 0 2.5rem; list-style: none; }
section { border-top: 1px solid var(--line); padding: 1.4rem 0 .6rem; scroll-margin-top: 1rem; }
section:target { background: var(--tint); box-shadow: 0 0 0 1rem var(--tint); border-color: transparent; border-radius: .2rem; }
section:target code, section:target pre { background: var(--paper); }
section:target h2 code, section:target pre code { background: none; }
h2 { margin: 0; font-size: 1.1rem; display: flex; gap: .75rem; align-items: baseline; flex-wrap: wrap; }
h2 a { color: inherit; text-decoration: none; }
h2 code { background: none; padding: 0; font-size: 1.1rem; font-weight: 650; }
.status { color: var(--soft); font-size: .875rem; font-weight: 400; }
section p { margin: .5rem 0; }
h3 { margin: 1.4rem 0 .4rem; font-size: 1rem; }
pre { margin: .4rem 0 1rem; padding: .9rem 1rem; overflow-x: auto; background: var(--tint); border-radius: .4rem; line-height: 1.45; }
pre code { background: none; padding: 0; font-size: .82rem; }
table { border-collapse: collapse; width: 100%; margin: .8rem 0; font-size: .93rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--soft); }
section .aside { font-size: .9rem; }
.todo { border-left: 3px solid var(--accent); padding-left: .85rem; }
`;

/** The page loads nothing and runs no scripts, and only the console may frame it. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'public, max-age=300',
};

/** The documents, in the order of the bar of links at the top of each. */
const documents = [
  { path: '/docs', name: 'API' },
  { path: '/docs/errors', name: 'Errors' },
  { path: '/docs/webhooks', name: 'Webhooks' },
  { path: '/docs/sandbox', name: 'Sandbox' },
  { path: '/openapi.json', name: 'OpenAPI' },
] as const;
export type DocumentPath = (typeof documents)[number]['path'] | '/';

/** Returns the bar of links. `current` is the page that shows the bar. */
export function linkBar(current: DocumentPath): string {
  const mark = (path: DocumentPath) => (path === current ? ' aria-current="page"' : '');
  const links = documents.map(({ path, name }) => `<a href="${path}"${mark(path)}>${name}</a>`);
  return `<header class="bar"><a class="brand" href="/"${mark('/')}>Renderkit</a>
<nav aria-label="Documents">${links.join('\n')}</nav></header>`;
}

/** Returns a whole page. `body` is HTML, `title` is text. */
export function page(current: DocumentPath, title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
${linkBar(current)}
${body}
</body>
</html>
`;
}

/** Returns text as HTML; text between backticks becomes code. */
export function prose(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

/** Escapes text for HTML, so that no character has a special meaning. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
