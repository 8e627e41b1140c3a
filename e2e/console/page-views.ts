import { until } from '@renderkit/server-kit/testing/until.ts';
import type { Page } from 'playwright-core';
import type { SampleAccount } from './sample-account.ts';

/** A page of the console in one state. */
export type PageView = {
  name: string;
  /** The path below /console. */
  path: string;
  /** Actions on the page before the check. */
  act?: (page: Page) => Promise<void>;
  /** The page shows generations that wait; these start after some minutes. */
  waits?: true;
  /** A text that is visible once the page is complete; default: the heading. */
  shows?: string;
};

const dialog = (page: Page) => page.getByRole('dialog');
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click();

/** Returns every page for a signed-in person, with the contents of the account. */
export function pageViewsOf(account: SampleAccount): PageView[] {
  return [
    { name: 'overview', path: '', shows: 'can be spent now' },
    { name: 'playground', path: '/playground', shows: 'Your picture appears here' },
    {
      name: 'playground-models',
      path: '/playground',
      act: async (page) => {
        await page.getByRole('button', { name: /Change/ }).click();
        await dialog(page).getByLabel('Search models').waitFor();
      },
    },
    { name: 'playground-result', path: `/playground?generation=${account.image}`, shows: 'Succeeded' },
    {
      name: 'playground-mask',
      path: `/playground?from=${account.edit}`,
      act: async (page) => {
        await page.getByRole('radio', { name: 'What I paint' }).check();
        const canvas = page.getByRole('application', { name: 'Painting on the picture' });
        await canvas.scrollIntoViewIfNeeded();
        const box = await canvas.boundingBox();
        if (box === null) return;
        await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * 0.3);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width * 0.7, box.y + box.height * 0.4, { steps: 6 });
        await page.mouse.up();
      },
    },
    {
      name: 'playground-video',
      path: `/playground?kind=video&generation=${account.video}`,
      shows: 'Succeeded',
    },
    { name: 'generations', path: '/generations', waits: true, shows: 'An island that has to wait' },
    {
      name: 'generations-filtered',
      path: '/generations?status=failed&kind=video',
      shows: 'Clear the filters',
    },
    { name: 'generation', path: `/generations/${account.edit}`, shows: 'Metadata' },
    { name: 'generation-video', path: `/generations/${account.video}`, shows: 'Progress' },
    { name: 'generation-failed', path: `/generations/${account.failed}`, shows: 'It failed' },
    {
      name: 'generation-waiting',
      path: `/generations/${account.waiting}`,
      waits: true,
      shows: 'It waits for its turn',
    },
    { name: 'library', path: '/library' },
    {
      name: 'library-item',
      path: '/library',
      act: async (page) => {
        await page.getByRole('list', { name: 'Items' }).getByRole('button').first().click();
        await dialog(page).getByText('Use in the playground').waitFor();
      },
    },
    {
      name: 'library-chosen',
      path: '/library',
      act: async (page) => {
        await page.getByRole('list', { name: 'Items' }).getByRole('checkbox').first().check();
        await page.getByText('1 item chosen').waitFor();
      },
    },
    { name: 'projects', path: '/projects', shows: 'API' },
    { name: 'storage', path: '/storage', shows: account.upload },
    {
      name: 'storage-delete',
      path: '/storage',
      act: async (page) => {
        await press(page, `Delete ${account.upload}`);
        await dialog(page).getByText('cannot be brought back').waitFor();
      },
    },
    { name: 'connect', path: '/connect', shows: 'Make a key for it' },
    { name: 'keys', path: '/keys', shows: 'Production website' },
    {
      name: 'keys-create',
      path: '/keys',
      act: async (page) => {
        await press(page, 'Create API key');
        await dialog(page).getByLabel('Name').waitFor();
      },
    },
    {
      name: 'keys-revoke',
      waits: true,
      path: '/keys',
      act: async (page) => {
        await press(page, 'Actions for Production website');
        await page.getByRole('menuitem', { name: 'Revoke key' }).click();
        await dialog(page).getByText('queued generation').waitFor();
      },
    },
    { name: 'webhooks', path: '/webhooks', shows: 'staging' },
    {
      name: 'webhooks-add',
      path: '/webhooks',
      act: async (page) => {
        await press(page, 'Add endpoint');
        await dialog(page).getByLabel('Address').waitFor();
      },
    },
    {
      name: 'webhooks-refused',
      path: '/webhooks',
      act: async (page) => {
        await press(page, 'Add endpoint');
        await dialog(page).getByLabel('Address').fill('http://192.168.1.20:9000/hook');
        await dialog(page).getByRole('button', { name: 'Add endpoint' }).click();
        await dialog(page).getByText('EGRESS_ALLOW').waitFor();
      },
    },
    {
      name: 'webhook',
      path: `/webhooks/${account.endpoint}`,
      act: async (page) => {
        await press(page, 'Send test');
        await page.getByText('The receiver answered').waitFor();
      },
    },
    {
      name: 'webhook-limited',
      path: `/webhooks/${account.endpoint}`,
      act: async (page) => {
        await page.evaluate(
          `Promise.all(Array.from({ length: 10 }, () =>
             fetch('/console/api/webhooks/${account.endpoint}/ping', { method: 'POST' })))`,
        );
        await press(page, 'Send test');
        await page.getByRole('button', { name: /^Send test in/ }).waitFor();
      },
    },
    { name: 'deliveries', path: '/deliveries', shows: 'generation.succeeded' },
    { name: 'delivery', path: `/deliveries/${account.failedDelivery}`, shows: 'The receiver answered 503' },
    { name: 'docs', path: '/docs/errors' },
    { name: 'connection', path: '/connection', shows: 'Capabilities' },
    { name: 'sessions', path: '/sessions', shows: 'This browser' },
    { name: 'audit', path: '/audit', shows: 'Created an API key' },
    { name: 'not-found', path: '/nothing/here', shows: 'There is no page' },
    { name: 'generation-unknown', path: '/generations/gen_nothing', shows: 'could not be read' },
  ];
}

/** Pages that look different when the account's storage is full. */
export const fullStorageViews: PageView[] = [
  { name: 'full-overview', path: '', shows: 'See the storage' },
  { name: 'full-storage', path: '/storage', shows: 'The storage is full' },
  {
    name: 'full-playground',
    path: '/playground',
    act: async (page) => {
      await page.getByLabel('Prompt', { exact: true }).fill('One more lake');
      await press(page, 'Run');
      await page.getByText('has no room for this').first().waitFor();
    },
  },
  {
    name: 'full-upload',
    path: '/playground?model=retouch-1',
    act: async (page) => {
      const file = { name: 'one-more.png', mimeType: 'image/png', buffer: tinyPng };
      await page.locator('input[type=file]').first().setInputFiles(file);
      await page.getByText('has no room for this').first().waitFor();
    },
  },
];

/** A PNG of one pixel. */
const tinyPng = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
);

/** Pages for somebody who is not signed in. */
export const signInViews: PageView[] = [
  { name: 'sign-in', path: '/sign-in?return_to=/console/keys', shows: 'Create an account' },
  { name: 'signed-out', path: '/signed-out' },
  { name: 'sign-in-failed', path: '/sign-in-failed?reason=denied' },
];

/** Returns the pages for trying things out. Only screenshots use them; nothing is counted there. */
export function creatingViewsOf(account: SampleAccount): PageView[] {
  const compare = (page: Page) => page.getByRole('button', { name: 'Compare', exact: true });
  return [
    {
      name: 'creating-compare',
      path: `/playground?kind=image&generation=${account.image}`,
      act: async (page) => {
        await compare(page).first().click();
        await page.getByRole('navigation', { name: 'Recent runs' }).getByRole('link').last().click();
        await compare(page).first().click();
        await dialog(page).waitFor();
      },
    },
    {
      name: 'creating-hint',
      path: '/playground?kind=image&model=atelier-1',
      act: async (page) => {
        await page.getByLabel('Prompt', { exact: true }).fill('A queen with a golden crown');
        await page.getByText('names none of them').waitFor();
      },
    },
    {
      name: 'palette',
      path: '/keys',
      act: async (page) => {
        await page.keyboard.press('Control+k');
        await dialog(page).getByRole('combobox').fill('lake');
      },
    },
    {
      name: 'shortcuts',
      path: '/keys',
      act: async (page) => {
        await page.keyboard.press('?');
        await dialog(page).waitFor();
      },
    },
    { name: 'library-none', path: '/library?search=nothing+of+it', shows: 'Clear the filters' },
  ];
}

const settleMs = 15_000;

/** Loads a page and waits until its contents and images are visible. */
export async function openView(page: Page, url: string, view: PageView): Promise<void> {
  await page.goto(`${url}/console${view.path}`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await complete(page, view);
}

/**
 * Goes to a page as a link of the console does, in half the time of loading it. Passes a page that does not exist, so
 * that nothing of the previous page remains. The previous page must have been loaded.
 */
export async function goToView(page: Page, view: PageView): Promise<void> {
  const nowhere = page.getByRole('heading', { level: 1, name: 'Not found', exact: true });
  await follow(page, '/nowhere');
  await nowhere.waitFor();
  await follow(page, view.path);
  await nowhere.waitFor({ state: 'detached' });
  await complete(page, view);
}

/** The console's router treats a pushed address like a link. */
async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/console${path}`)})`);
}

async function complete(page: Page, { act, shows }: PageView): Promise<void> {
  if (shows !== undefined)
    await page.getByText(shows).filter({ visible: true }).first().waitFor({ timeout: settleMs });
  await act?.(page);
  await untilSettled(page);
}

/** Waits until nothing is loading and dialogs are completely visible. */
export async function untilSettled(page: Page): Promise<void> {
  const settled = `document.querySelector('[aria-busy="true"]') === null &&
    [...document.querySelectorAll('video')].every((video) => video.networkState !== video.NETWORK_LOADING) &&
    [...document.images].every((image) => image.complete || image.loading === 'lazy')`;
  await until('the page settles', () => page.evaluate<boolean>(settled));
  await page.waitForTimeout(250);
}

/** A script that ends all transitions and animations, so that a page shows its final state. */
export const stopMotion = `{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*, ::before, ::after { transition: none !important; animation: none !important; }');
  document.adoptedStyleSheets = [sheet];
}`;
