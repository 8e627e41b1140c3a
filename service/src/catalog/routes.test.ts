import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { exampleModel } from '@renderkit/contract/studio/examples/models.ts';
import { operations } from '@renderkit/contract/v1/operations.ts';
import { createTestDatabase, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { startUpstream, type Upstream } from '../../test/upstream-fixture.ts';
import { validatorOf } from '../../test/validators.ts';
import { accountRoutes } from '../account/routes.ts';
import type { HandlerContext } from '../http/handler.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import { projectsRoutes } from '../projects/routes.ts';
import { createCatalogCache } from './catalog-cache.ts';
import { catalogRoutes } from './routes.ts';

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase('service');
});
after(async () => {
  await db[Symbol.asyncDispose]();
});

type Id =
  | 'listModels'
  | 'getModel'
  | 'listStyles'
  | 'listSuggestions'
  | 'getAccount'
  | 'getBalance'
  | 'getLimits'
  | 'listProjects'
  | 'createProject'
  | 'getProject';
type Asked = { params?: object; query?: object; body?: object };
// oxlint-disable-next-line typescript/no-explicit-any -- answers of ten operations, looked into field by field
type Answer = any;

/** Calls handlers as the router does, and validates their answers against the contract. */
function caller({ client, accountId }: Upstream) {
  const handlers = {
    ...catalogRoutes({ catalogCache: createCatalogCache(client) }),
    ...accountRoutes({ studioClient: client, database: db.database }),
    ...projectsRoutes({ studioClient: client }),
  } as unknown as Record<Id, (request: object) => Promise<unknown>>;
  return async (id: Id, { params = {}, query = {}, body = {} }: Asked = {}): Promise<Answer> => {
    const principal: HandlerContext['principal'] = {
      account: { id: accountId, studioId: '', studioAccountId: '' },
      key: { id: 'key', hasBudget: false },
      scopes: new Set(),
    };
    const answer = await handlers[id]({ params, query, body, principal });
    const validate = validatorOf(operations[id].response.schema);
    assert.ok(validate(answer), `${id}: ${JSON.stringify(validate.errors)}`);
    return answer;
  };
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'fine',
    (error: unknown) => (error instanceof ApiProblem ? error.code : String(error)),
  );
}

const ids = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);

test('models are those of the plan, filtered, and one page without paging', async () => {
  await using upstream = await startUpstream(db.database);
  const call = caller(upstream);
  const { catalog } = upstream.studio;
  catalog.models.splice(3);
  catalog.models.push(
    exampleModel({
      id: 'clip',
      name: 'Clip',
      suites: ['video'],
      default_for: [],
      description: 'Moving PLAIN things',
    }),
    exampleModel({ id: 'own', name: 'Own', kind: 'custom', default_for: [], element: true }),
    exampleModel({
      id: 'character/one',
      kind: 'character',
      default_for: [],
      base_models: { hand: { options: ['a'], default: 'a' } },
    }),
  );
  const all = await call('listModels');
  assert.deepEqual(ids(all), ['plain', 'night/adult', 'clip', 'own', 'character/one']);
  assert.deepEqual([all.page, all.limit, all.has_more], [1, 5, false]);
  assert.deepEqual(ids(await call('listModels', { query: { suite: 'video' } })), ['clip']);
  assert.deepEqual(ids(await call('listModels', { query: { kind: 'custom' } })), ['own']);
  assert.deepEqual(ids(await call('listModels', { query: { search: 'plain', suite: 'video' } })), ['clip']);
  const second = await call('listModels', { query: { page: 2, limit: 2 } });
  assert.deepEqual([ids(second), second.page, second.limit, second.has_more], [['clip', 'own'], 2, 2, true]);
  const last = await call('listModels', { query: { page: 3, limit: 2 } });
  assert.deepEqual([ids(last), last.has_more], [['character/one'], false]);
  const past = await call('listModels', { query: { page: 9 } });
  assert.deepEqual([ids(past), past.limit, past.has_more], [[], 20, false]);
  const none = await call('listModels', { query: { search: 'nothing like it' } });
  assert.deepEqual([ids(none), none.page, none.limit, none.has_more], [[], 1, 1, false]);
  assert.equal(await codeOf(call('listModels', { query: { page: 1_000_001, limit: 2 } })), 'invalid_request');
});

test('any model is shown by its id, with no price; an unknown one is not found', async () => {
  await using upstream = await startUpstream(db.database);
  const call = caller(upstream);
  const grand = await call('getModel', { params: { id: 'grand' } });
  assert.deepEqual([grand.tiers, 'price' in grand], [['pro'], false]);
  assert.equal((await call('getModel', { params: { id: 'night/adult' } })).nsfw, true);
  for (const id of ['nobody', 'toString', '__proto__'])
    assert.equal(await codeOf(call('getModel', { params: { id } })), 'not_found');
});

test('styles and suggestions are lists of their own', async () => {
  await using upstream = await startUpstream(db.database);
  const call = caller(upstream);
  upstream.studio.catalog.suggestions.push(
    {
      id: 's1',
      name: 'S1',
      category: 'Light',
      category_id: 'l',
      suites: ['image', 'edit'],
      media_seconds: 0,
    },
    { id: 's2', name: 'S2', category: null, category_id: null, suites: ['video'], media_seconds: 1.5 },
  );
  assert.deepEqual(ids(await call('listStyles')), ['ink', 'film']);
  assert.deepEqual(ids(await call('listSuggestions')), ['s1', 's2']);
  assert.deepEqual(ids(await call('listSuggestions', { query: { suite: 'edit' } })), ['s1']);
});

test('an ended session and an absent studio show at the next read, whatever was read before', async () => {
  await using upstream = await startUpstream(db.database);
  const call = caller(upstream);
  const every: [Id, Asked?][] = [
    ['listModels'],
    ['getModel', { params: { id: 'plain' } }],
    ['listStyles'],
    ['listSuggestions'],
    ['getAccount'],
    ['getBalance'],
    ['getLimits'],
    ['listProjects'],
    ['createProject', { body: { title: 'Mine' } }],
    ['getProject', { params: { id: 'prj_1' } }],
  ];
  for (const [id, asked] of every) await call(id, asked);
  upstream.studio.script('getCatalog', { status: 503, headers: { 'retry-after': '7' }, text: '' });
  assert.equal(await codeOf(call('listModels')), 'upstream_unavailable');
  upstream.studio.script('getCatalog', undefined);
  upstream.studio.endSessions();
  for (const [id, asked] of every) assert.equal(await codeOf(call(id, asked)), 'connection_expired', id);
});

test('the catalog is read once and then only asked after', async () => {
  await using upstream = await startUpstream(db.database);
  const call = caller(upstream);
  await call('listModels');
  let unchanged = 0;
  upstream.studio.script('getCatalog', (request, response) => {
    unchanged += request.headers['if-none-match'] === '"v1-plus"' ? 1 : 0;
    response.writeHead(304).end();
  });
  await Promise.all([call('listModels'), call('listStyles')]);
  assert.ok(unchanged >= 1);
});

test('the account and its balance are told in credits', async () => {
  await using upstream = await startUpstream(db.database);
  const call = caller(upstream);
  const balance = {
    object: 'balance',
    balance: 105.5,
    monthly: 100,
    lifetime: 5.5,
    monthly_allowance: 1000,
    next_refill: '2027-01-07T00:00:00.000Z',
  };
  assert.deepEqual(await call('getBalance'), balance);
  const account = await call('getAccount');
  assert.deepEqual([account.id, account.credits], [upstream.studio.account.id, balance]);
  await db.database.rows(
    'update accounts set uncharged_millicredits = 102500, queued_image = 3 where id = $1',
    [upstream.accountId],
  );
  const left = await call('getBalance');
  assert.deepEqual([left.balance, left.monthly, left.lifetime], [3, 0, 3]);
  assert.deepEqual(await call('getLimits'), {
    object: 'limits',
    overall: { limit: 4, running: 1 },
    image: { limit: 2, running: 1, queued: 3 },
    edit: { limit: 2, running: 1, queued: 0 },
    video: { limit: 2, running: 1, queued: 0 },
  });
});

test("projects are the studio's", async () => {
  await using upstream = await startUpstream(db.database);
  const call = caller(upstream);
  const list = await call('listProjects', { query: { search: 'a b', limit: 5 } });
  assert.deepEqual([ids(list), list.page, list.limit], [['prj_1'], 1, 5]);
  assert.match(upstream.studio.seen.at(-1)?.url ?? '', /\?page=1&limit=5&search=a\+b$/);
  assert.equal((await call('createProject', { body: { title: 'Autumn' } })).title, 'Autumn');
  assert.equal((await call('createProject')).title, 'Untitled');
  assert.equal((await call('getProject', { params: { id: 'a/b ü' } })).id, 'a/b ü');
  upstream.studio.script('getProject', { status: 404, json: { code: 'not_found', message: 'raw' } });
  assert.equal(await codeOf(call('getProject', { params: { id: 'x' } })), 'not_found');
  assert.equal(
    await codeOf(call('listProjects', { query: { page: 20_000, limit: 100 } })),
    'invalid_request',
  );
});
