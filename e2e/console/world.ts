import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { share } from '@renderkit/server-kit/testing/share.ts';
import { buildConsole } from '@renderkit/stack/build-console.ts';
import * as studioOperator from '@renderkit/studio/operator.ts';
import { openBrowser, watch, type Watched } from '../harness/browser.ts';
import { type Platform, startPlatform } from '@renderkit/stack/testing/platform.ts';
import { type SecureReceiver, startSecureReceiver } from '../harness/receiver.ts';

/** A person with a studio account that the service does not have before the first sign-in. */
export type Person = { email: string; password: string };

export type Visitor = Watched & { page: Page };

export type ConsoleWorld = AsyncDisposable & {
  platform: Platform;
  url: string;
  studioUrl: string;
  receiver: SecureReceiver;
  person: (account?: Partial<Person> & { name?: string }) => Promise<Person>;
  /** Opens a page in a separate browser profile. */
  visitor: (options?: BrowserContextOptions) => Promise<Visitor>;
};

const builtConsole = fileURLToPath(new URL('../../console/dist', import.meta.url));
/** The longest that any step on a page may take. */
const stepTimeoutMs = 20_000;

/** Starts the whole product with the console built from the sources, a receiver of webhooks, and a browser. */
export async function openConsoleWorld(
  options: { ownPostgres?: boolean; workers?: number; environment?: Record<string, string> } = {},
): Promise<ConsoleWorld> {
  await using owned = new AsyncDisposableStack();
  const directory = await mkdtemp(path.join(tmpdir(), 'renderkit-console-'));
  owned.defer(() => rm(directory, { recursive: true, force: true }));
  await buildConsole({ environment: process.env });
  // Uses a copy, since another build would delete files that open pages still load.
  await cp(builtConsole, path.join(directory, 'console'), { recursive: true });
  const receiver = owned.use(await startSecureReceiver());
  await writeFile(path.join(directory, 'receiver.pem'), receiver.certificate);
  const platform = owned.use(
    await startPlatform({
      ...options,
      environment: {
        CONSOLE_DIRECTORY: path.join(directory, 'console'),
        EGRESS_ALLOW: '127.0.0.0/8',
        STUDIO_SIGN_UP: 'open',
        NODE_EXTRA_CA_CERTS: path.join(directory, 'receiver.pem'),
        ...options.environment,
      },
    }),
  );
  const browser: Browser = await openBrowser();
  owned.defer(() => browser.close());
  const resources = owned.move();
  return {
    platform,
    url: platform.serviceUrls[0] ?? '',
    studioUrl: platform.studioUrl,
    receiver,
    person: (account) => createPerson(platform, account),
    visitor: async (contextOptions = {}) => {
      // Without a graphics card, endless animations would cost time on every frame.
      const context = await browser.newContext({ reducedMotion: 'reduce', ...contextOptions });
      context.setDefaultTimeout(stepTimeoutMs);
      const page = await context.newPage();
      return { page, ...(await watch(page)) };
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/**
 * One world for all test files in this process. Each file has its own people and visitors, and leaves nothing running.
 */
export const sharedConsoleWorld = share(() => openConsoleWorld());

let createdPeople = 0;

/** Creates an account in the same way as the first start creates its demo account. */
async function createPerson(
  { databases }: Platform,
  account: Partial<Person> & { name?: string } = {},
): Promise<Person> {
  const person = {
    // The platform's own accounts have other names.
    email: `visitor-${++createdPeople}@example.org`,
    password: 'correct horse battery',
    ...account,
  };
  await studioOperator.createAccount(databases.studio, { ...person, tier: 'plus' });
  return person;
}

/** Signs in on the open page of the studio, and waits for the console. */
export async function signInAtStudio(page: Page, { email, password }: Person): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  const allow = page.getByRole('button', { name: 'Allow', exact: true });
  const console = page.getByRole('navigation', { name: 'Console' });
  await allow.or(console).first().waitFor();
  if (await allow.isVisible()) await allow.click();
  await page.waitForURL(/\/console(?:$|\/(?!auth))/);
}

/** Signs in and shows a page of the console. */
export async function signIn(
  world: ConsoleWorld,
  page: Page,
  person: Person,
  to = '/console',
): Promise<void> {
  await page.goto(`${world.url}/console/auth/sign-in?return_to=${encodeURIComponent(to)}`);
  await signInAtStudio(page, person);
}

/**
 * Opens the playground for a new person, in a wide window and with a model that draws in a moment. The page may read
 * and write the clipboard.
 */
export async function beginToCreate(world: ConsoleWorld): Promise<{ who: Person; page: Page }> {
  const who = await world.person();
  const { page } = await world.visitor({ viewport: { width: 1440, height: 900 } });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: world.url });
  await signIn(world, page, who, '/console/playground?model=sketch-1');
  return { who, page };
}
