import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { StudioAnswer } from '@renderkit/contract/studio/operations.ts';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import {
  Metadata,
  StudioAccount,
  StudioBalance,
  StudioLimits,
} from '@renderkit/contract/studio/schemas/account.ts';
import { Catalog } from '@renderkit/contract/studio/schemas/catalog.ts';
import { AssetsAnswer, ProjectsAnswer, StudioAsset } from '@renderkit/contract/studio/schemas/library.ts';
import { QuoteResult, Render } from '@renderkit/contract/studio/schemas/render.ts';
import { StoreUploadAnswer, StudioUpload } from '@renderkit/contract/studio/schemas/upload.ts';
import { insertStyle } from '@renderkit/studio/catalog/store.ts';
import { addLibraryItem, setAccount, setFault } from '@renderkit/studio/operator.ts';
import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { request, startTestStudio, type TestStudio } from './harness.ts';
import { makeImage } from './media-files.ts';

let studio: TestStudio;
before(async () => (studio = await startTestStudio({ worker: false })));
after(async () => studio[Symbol.asyncDispose]());

test('every answer fits the contract', async () => {
  const account = await studio.connect({ tier: 'pro' });
  const fits = async (route: string, schema: TSchema) => {
    const { status, body } = await account.call<unknown>('GET', route);
    assert.equal(status, 200, route);
    assert.ok(Check(schema, body), `${route}: ${JSON.stringify(body)}`);
  };
  await account.submit('t');
  await fits('/api/metadata', Metadata);
  await fits('/api/account', StudioAccount);
  await fits('/api/balance', StudioBalance);
  await fits('/api/limits', StudioLimits);
  await fits('/api/catalog', Catalog);
  await fits('/api/renders/t', Render);
  await fits('/api/projects?page=1&limit=20', ProjectsAnswer);
  assert.ok(Check(QuoteResult, await account.quote()));
  assert.ok(Check(QuoteResult, await account.quote({ reference_images: ['ast_none'] })));
  assert.ok(Check(StoreUploadAnswer, (await account.upload('upl_1', await makeImage())).body));
  assert.ok(Check(StoreUploadAnswer, (await account.upload('upl_2', Buffer.alloc(0))).body));
  await fits('/api/uploads/upl_1', StudioUpload);
  const item = await addLibraryItem(studio.database, {
    email: account.email,
    ...studio.mediaLocation,
    file: await imageFile(studio.dataDirectory),
  });
  await fits('/api/assets?page=1&limit=20', AssetsAnswer);
  await fits(`/api/assets/image/${item.id}`, StudioAsset);
});

test('a list of quotes answers each request on its own', async () => {
  const account = await studio.connect({ tier: 'free' });
  const { body: project } = await account.call<StudioAnswer<'createProject'>>('POST', '/api/projects', {
    title: 'Sea 1',
  });
  const painted = (more: Partial<RenderRequest>) => request({ model: 'atelier-1', ...more });
  const requests = [
    painted({ project_id: project.id }),
    painted({ project_id: 'prj_none', reference_images: ['ast_none'] }),
    painted({ model: 'prism-1' }),
    painted({ model: 'none' }),
    painted({ aspect_ratio: '7:5' }),
    painted({ options: { seed: 5, palette: 'vivid', grain: true, detail: 3 } }),
    painted({ options: { palette: 'loud' } }),
    painted({ prompt: ' ' }),
    painted({ model: 'linework-1', weight: 1.5 }),
  ];
  const { body } = await account.call<StudioAnswer<'createQuotes'>>('POST', '/api/quotes', {
    quotes: requests.map((item) => ({ request: item, moderate: true })),
  });
  assert.deepEqual(
    body.results.map(({ refusal, unknown_ids, cost_millicredits, quote }) => [
      refusal?.code ?? null,
      refusal?.field ?? unknown_ids.join(),
      cost_millicredits,
      quote !== null,
    ]),
    [
      [null, '', 4_000, true],
      [null, 'project_id,reference_images[0]', 4_000, false],
      ['tier_required', '', 10_000, false],
      ['unprocessable', 'model', 0, false],
      ['unprocessable', 'aspect_ratio', 4_000, false],
      [null, '', 4_000, true],
      ['unprocessable', 'options.palette', 4_000, false],
      ['unprocessable', 'prompt', 4_000, false],
      [null, '', 6_000, true],
    ],
  );
});

test('options and references have their price, and an adult model its door', async () => {
  const account = await studio.connect({ tier: 'pro' });
  const fine = await account.quote({ model: 'prism-1', prompt: '', options: { finish: 'fine' } });
  assert.deepEqual([fine.cost_millicredits, fine.outputs, fine.refusal], [12_000, 4, null]);
  const night = { model: 'nocturne-1', aspect_ratio: '3:4' };
  assert.equal((await account.quote(night)).refusal?.code, 'forbidden');
  await setAccount(studio.database, account.email, { ageVerified: true });
  assert.equal((await account.quote(night)).refusal, null);
  const figure = { model: 'character/figures', base_model: 'bold' };
  assert.equal((await account.quote(figure)).refusal, null);
  assert.equal((await account.quote({ ...figure, base_model: 'none' })).refusal?.field, 'base_model');
});

test('the state of the account is told with every quote, and none stands then', async () => {
  const account = await studio.connect({ tier: 'pro' });
  const states = [];
  for (const settings of [
    { regionBlocked: true },
    { emailVerified: false },
    { suspended: true },
    { suspended: false, emailVerified: true, regionBlocked: false },
  ]) {
    await setAccount(studio.database, account.email, settings);
    const { account_state, quote } = await account.quote();
    states.push([account_state, quote !== null]);
  }
  assert.deepEqual(states, [
    ['region_blocked', false],
    ['email_not_verified', false],
    ['suspended', false],
    ['ok', true],
  ]);
});

test('the catalog has a version by plan and own styles, and answers 304 to it', async () => {
  const free = await studio.connect({ tier: 'free' });
  const pro = await studio.connect({ tier: 'pro' });
  const get = (account: typeof free, etag?: string) =>
    account.call<StudioAnswer<'getCatalog'>>(
      'GET',
      '/api/catalog',
      undefined,
      etag ? { 'if-none-match': etag } : {},
    );
  const first = await get(free);
  const etag = first.headers.get('etag') ?? '';
  assert.equal((await get(free, etag)).status, 304);
  assert.equal((await get(pro, etag)).status, 200);
  assert.equal((await free.balance()).catalog_version, first.body.version);
  await insertStyle(studio.database, { id: 'sty_own', accountId: free.id, name: 'Mine', type: 'image' });
  const second = await get(free, etag);
  assert.equal(second.status, 200);
  assert.notEqual(second.body.version, first.body.version);
  assert.deepEqual(second.body.styles.at(-1), { id: 'sty_own', name: 'Mine', type: 'image', custom: true });
  assert.deepEqual((await free.quote({ styles: ['sty_own', 'sty_noir'] })).unknown_ids, []);
  assert.deepEqual((await pro.quote({ styles: ['sty_noir', 'sty_own'] })).unknown_ids, ['styles[1]']);
});

test('the operator makes the next quote go wrong, once', async () => {
  const account = await studio.connect({ tier: 'pro' });
  await setFault(studio.database, account.email, 'concurrency');
  assert.equal((await account.quote()).refusal?.code, 'concurrency');
  assert.equal((await account.quote()).refusal, null);
  await setFault(studio.database, account.email, 'rate');
  const body = { quotes: [{ request: request(), moderate: true }] };
  const limited = await account.call<{ code: string }>('POST', '/api/quotes', body);
  assert.deepEqual(
    [limited.status, limited.body.code, limited.headers.get('retry-after')],
    [429, 'rate_limited', '5'],
  );
  await setFault(studio.database, account.email, 'nonsense');
  const headers = { authorization: `Bearer ${account.accessToken}`, 'content-type': 'application/json' };
  const ask = (signal?: AbortSignal) =>
    fetch(`${studio.url}/api/quotes`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  const nonsense = await ask();
  assert.equal(nonsense.status, 200);
  await assert.rejects(nonsense.json());
  await setFault(studio.database, account.email, 'silence');
  await assert.rejects(ask(AbortSignal.timeout(500)), /timeout|aborted/);
  assert.equal((await account.quote()).refusal, null);
});

test('what does not fit the contract is refused by name', async () => {
  const account = await studio.connect();
  const cases: [body: unknown, message: RegExp][] = [
    [{ quotes: [] }, /quotes/],
    [{ quotes: [{ request: { ...request(), prompt: 5 }, moderate: true }] }, /prompt/],
    [{}, /quotes/],
  ];
  for (const [body, message] of cases) {
    const answer = await account.call<{ code: string; message: string }>('POST', '/api/quotes', body);
    assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_request']);
    assert.match(answer.body.message, message);
  }
  const raw = await fetch(`${studio.url}/api/quotes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.accessToken}`, 'content-type': 'application/json' },
    body: '{"quotes": [{"moderate": true, "request": {"prompt": "\\u0000"}}]}',
  });
  assert.equal(raw.status, 400);
  assert.equal((await account.call('GET', '/api/none')).status, 404);
  assert.equal((await account.call('GET', '/api/projects?page=0&limit=10')).status, 400);
  assert.equal((await account.call('GET', '/api/projects?page=x&limit=10')).status, 400);
});

test('projects are listed newest first, searched by title, and are their owner’s alone', async () => {
  const account = await studio.connect();
  const other = await studio.connect();
  const made = [];
  for (const title of ['Alpha one', 'Beta', 'Alpha two'])
    made.push(
      (await account.call<StudioAnswer<'createProject'>>('POST', '/api/projects', { title })).body.id,
    );
  const titles = async (query: string) => {
    const { body } = await account.call<StudioAnswer<'listProjects'>>('GET', `/api/projects?${query}`);
    return [body.projects.map(({ title }) => title).join(), body.has_more];
  };
  assert.deepEqual(await titles('page=1&limit=2'), ['Alpha two,Beta', true]);
  assert.deepEqual(await titles('page=2&limit=2'), ['Alpha one', false]);
  assert.deepEqual(await titles('page=1&limit=10&search=alpha'), ['Alpha two,Alpha one', false]);
  assert.deepEqual(await titles('page=1&limit=10&search=%25'), ['', false]);
  assert.equal((await other.call('GET', `/api/projects/${made[0]}`)).status, 404);
  assert.equal((await account.call('POST', '/api/projects', { title: 'no/slash' })).status, 400);
});

async function imageFile(directory: string): Promise<string> {
  const file = path.join(directory, 'image.png');
  await writeFile(file, await makeImage());
  return file;
}
