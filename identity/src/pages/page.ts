import { createHash } from 'node:crypto';
import { Html, html } from './html.ts';
import { style } from './style.ts';

/** The only client, described for people. */
export type ClientFacts = {
  name: string;
  /** Where people use the client; `undefined`: the pages have no link back to it. */
  url: string | undefined;
  /**
   * Where people sign in to the client, with `login_hint` (OpenID Connect Core 1.0 §4); `undefined`: no page links
   * there.
   */
  signInUrl: string | undefined;
  /** The exact addresses to which the browser may be sent back. */
  redirectUris: readonly string[];
  logoutUris: readonly string[];
};

export type Page = {
  title: string;
  body: Html;
  /** Shown below the card. */
  after?: Html | undefined;
};

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#0b6e6e"/>' +
  '<path d="M10 23V9h7.2a4.4 4.4 0 0 1 1 8.7L22.4 23" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/>' +
  '<circle cx="16.2" cy="17.7" r="1.9" fill="#5cc8c1"/></svg>';
const styleHash = createHash('sha256').update(style).digest('base64');

/** Returns a whole page. `host` is the studio's own, so that people see which host gets their password. */
export function writePage(page: Page, host: string): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${page.title} · Renderkit Studio</title>
        <link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}" />
        ${new Html(`<style>${style}</style>`)}
      </head>
      <body>
        <main>
          <div class="brand">
            ${new Html(icon)}
            <div>Renderkit <span>Studio</span></div>
          </div>
          <div class="card">${page.body}</div>
          ${page.after}
        </main>
        <footer>The studio at ${host}</footer>
      </body>
    </html> `.text;
}

/**
 * Returns the headers of a page. A page loads nothing, runs no script and cannot be framed. Forms go to the studio, and
 * redirects from there to the client. The policy lists both, because Chromium also applies `form-action` to every
 * redirect after a form.
 */
export function pageHeaders(client: ClientFacts): Record<string, string> {
  const targets = new Set([...client.redirectUris, ...client.logoutUris].map(formTarget));
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; font-src data:; base-uri 'none'; frame-ancestors 'none'; ` +
      `form-action ${["'self'", ...targets].join(' ')}`,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    // With `no-referrer`, a browser sends its own forms with `Origin: null`.
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
    'cross-origin-opener-policy': 'same-origin',
  };
}

/**
 * Returns a form target for the policy. A policy cannot contain an IPv6 address, so for such an address it contains
 * only the scheme.
 */
function formTarget(uri: string): string {
  const { origin, hostname, protocol } = new URL(uri);
  return hostname.startsWith('[') ? protocol : origin;
}
