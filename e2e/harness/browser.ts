import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

const places = [
  process.env['CHROMIUM_PATH'],
  // The same engine as the full browser, with a quarter less work.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const executablePath = places.find((place) => place !== undefined && existsSync(place));

/** Why browser tests are skipped; false when there is a browser. */
export const noBrowser: string | false =
  executablePath === undefined && 'there is no browser; CHROMIUM_PATH may name one';

const options = [
  '--no-sandbox',
  '--disable-gpu',
  // One process less to start, and less data passed between processes.
  '--in-process-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** Starts a real Chromium without a window. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ ...(executablePath !== undefined && { executablePath }), args: options });
}

/** A page's requests and errors since it was watched. */
export type Watched = {
  /** Addresses of requests, in order. */
  asked: string[];
  /** Errors of scripts, violations of a policy, dialogs, and everything else that was logged as an error. */
  errors: string[];
};

// The library of the API reference tests whether it may evaluate text, gets a refusal, and continues without.
const tellViolations = `addEventListener('securitypolicyviolation', (event) => {
  if (event.blockedURI === 'eval' && location.pathname === '/docs') return;
  console.error('policy violated: ' + event.violatedDirective + ' by ' + event.blockedURI);
})`;

/** Watches a page from now on. Dismisses dialogs. */
export async function watch(page: Page): Promise<Watched> {
  const watched: Watched = { asked: [], errors: [] };
  await page.addInitScript(tellViolations);
  page.on('request', (request) => watched.asked.push(request.url()));
  page.on('pageerror', (error) => watched.errors.push(`page error: ${error.message}`));
  page.on('dialog', (dialog) => {
    watched.errors.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    // A browser requests an icon by itself.
    if (message.type() === 'error' && !message.location().url.endsWith('/favicon.ico'))
      watched.errors.push(`${message.text()} (${message.location().url})`);
  });
  return watched;
}
