import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { administrationOperations } from '@renderkit/contract/console/administration.ts';
import {
  type ConsoleOperationId,
  consoleOperationIds,
  consoleOperations,
} from '@renderkit/contract/console/operations.ts';
import type { ConsoleOperation } from '@renderkit/contract/console/operation.ts';
import { consoleProblemCodes } from '@renderkit/contract/console/problem-codes.ts';
import { freshSignInHeader } from '@renderkit/contract/studio/administration/fresh-sign-in.ts';
import { operations } from '@renderkit/contract/v1/operations.ts';
import type { Problem } from '@renderkit/contract/v1/schemas/problem.ts';
import { scopes } from '@renderkit/contract/v1/scopes.ts';
import { assertProblem } from './assert-problem.ts';
import { newId as newUploadId } from '@renderkit/server-kit/ids.ts';
import { createRandom } from '@renderkit/server-kit/testing/random.ts';
import { buildRequest } from './build-request.ts';
import { type ConsoleBrowser, openBrowser } from './console-session.ts';
import { type Answer, type Ask, startTestService, type TestService } from './harness.ts';
import { validatorOf } from './validators.ts';

let service: TestService;
let browser: ConsoleBrowser;
before(async () => {
  service = await startTestService({ config: { egressAllow: ['127.0.0.0/8'] } });
  browser = await openBrowser(service);
});
after(() => service[Symbol.asyncDispose]());

type Asked = { id?: string; query?: string; body?: unknown };

const newId = async (path: string, body: unknown): Promise<string> => {
  const { status, text, body: made } = await browser.ask<{ id: string }>(path, { method: 'POST', body });
  assert.ok(status < 300, text);
  return made.id;
};
const newKey = () => newId('/console/api/keys', { name: 'a key', scopes: [...scopes] });
const newWebhook = async () => {
  // An account may have at most ten, so delete the others first.
  const { body } = await browser.ask<{ data: { id: string }[] }>('/console/api/webhooks');
  for (const { id } of body.data) await browser.ask(`/console/api/webhooks/${id}`, { method: 'DELETE' });
  return newId('/console/api/webhooks', {
    url: 'https://127.0.0.1:59999/hook',
    events: ['generation.failed'],
  });
};
const newDelivery = async () => {
  const id = await newId(`/console/api/webhooks/${await newWebhook()}/ping`, undefined);
  await service.database.rows(
    `with gone as (delete from delivery_queue where delivery_id = $1)
     update deliveries set status = 'failed', given_up = 'failed', completed_at = clock() where id = $1`,
    [id],
  );
  return id;
};

const newMask = async () => {
  const id = newUploadId('upl_');
  await service.database.rows(
    `insert into uploads (id, account_id, status, hidden, type, url, processing_since, due_at)
     values ($1, $2, 'ready', true, 'image', 'https://studio.example/mask.png', clock(), clock() + interval '1 day')`,
    [id, service.accountId],
  );
  return id;
};

type OwnOperationId = Exclude<ConsoleOperationId, keyof typeof administrationOperations>;
/** Without administration, whose answers come from the studio: other tests run it with a studio that has it. */
const ownIds = consoleOperationIds.filter(
  (id): id is OwnOperationId => !Object.hasOwn(administrationOperations, id),
);

/** A valid request for each operation, made when it is needed. */
const requests: Record<OwnOperationId, () => Asked | Promise<Asked>> = {
  getSignedIn: () => ({}),
  listSessions: () => ({}),
  endSession: async () => ({ id: (await openBrowser(service)).sessionId }),
  signOut: () => ({}),
  getConnection: () => ({}),
  getOverview: () => ({ query: 'days=7' }),
  listKeys: () => ({}),
  createKey: () => ({ body: { name: 'new', scopes: ['read'], daily_budget: 12.5, expires_in_days: 7 } }),
  getKey: async () => ({ id: await newKey() }),
  updateKey: async () => ({ id: await newKey(), body: { name: 'renamed', daily_budget: null } }),
  revokeKey: async () => ({ id: await newKey(), query: 'cancel_queued=true' }),
  listWebhooks: () => ({}),
  createWebhook: () => ({ body: { url: 'https://127.0.0.1:59999/hook', events: [] } }),
  getWebhook: async () => ({ id: await newWebhook() }),
  updateWebhook: async () => ({ id: await newWebhook(), body: { status: 'paused' } }),
  deleteWebhook: async () => ({ id: await newWebhook() }),
  revealWebhookSecret: async () => ({ id: await newWebhook() }),
  rotateWebhookSecret: async () => ({ id: await newWebhook() }),
  pingWebhook: async () => ({ id: await newWebhook() }),
  recoverDeliveries: async () => ({ id: await newWebhook(), body: { since: new Date(0).toISOString() } }),
  listDeliveries: () => ({ query: 'limit=5&status=failed' }),
  getDelivery: async () => ({ id: await newDelivery() }),
  resendDelivery: async () => ({ id: await newDelivery() }),
  listGenerationRows: () => ({ query: 'page=1&limit=5&status=succeeded' }),
  getGenerationDetail: async () => ({
    id: await newId('/console/api/v1/images/generations', { model: 'plain', prompt: 'a sea' }),
  }),
  listLibraryItems: () => ({ query: 'page=1&limit=5&made_from=2026-11-01T00:00:00%2B01:00' }),
  moveLibraryItems: () => ({ body: { ids: ['ast_1', 'ast_2'], project_id: null } }),
  listModelFacts: () => ({}),
  getStorageDetail: () => ({}),
  listUploadRows: () => ({ query: 'page=1&limit=5' }),
  getStoredMask: async () => ({ id: await newMask() }),
  getSettings: () => ({}),
  updateSettings: () => ({ body: { recipes_in_files: true } }),
  listAudit: () => ({ query: 'actor=person' }),
};

for (const id of ownIds) {
  const operation: ConsoleOperation = consoleOperations[id];
  const at = ({ id: named = '', query }: Asked) =>
    operation.path.replace('{id}', encodeURIComponent(named)) + (query === undefined ? '' : `?${query}`);
  const ask = async (more: Partial<Asked & Ask> = {}) => {
    const asked = { ...(await requests[id]()), ...more };
    const { method = operation.method, body, headers } = asked;
    return browser.ask(at(asked), { method, body, ...(headers !== undefined && { headers }) });
  };

  describe(id, () => {
    // One session may send 600 requests per minute, so each test gets its own.
    before(async () => (browser = await openBrowser(service)));

    test('answers what its schema says', async () => {
      const own = id === 'signOut' ? await openBrowser(service) : browser;
      const asked = await requests[id]();
      const answer = await own.ask(at(asked), { method: operation.method, body: asked.body });
      assert.equal(answer.status, operation.response.status, answer.text);
      assert.equal(answer.headers.get('content-type'), 'application/json');
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      assert.equal(answer.headers.get('x-ratelimit-limit'), '600');
      const validate = validatorOf(operation.response.schema);
      assert.ok(validate(answer.body), `${answer.text} ${JSON.stringify(validate.errors)}`);
    });

    test('an unknown or repeated query parameter: 400 that names it', async () => {
      for (const [query, field] of [
        ['colour=red', 'colour'],
        ['colour=red&colour=blue', 'colour'],
        ['__proto__=1', '__proto__'],
        ['a%00b=1', 'a%00b'],
      ]) {
        const answer = (await ask({ query })) as Answer<Problem>;
        assertProblem(answer, 'invalid_request', query ?? '');
        assert.equal(answer.body.errors?.[0]?.field, field);
      }
    });

    if (operation.request.body !== undefined)
      test('a body that cannot be read, or has a field too many: 400', async () => {
        for (const more of [
          { body: '{' },
          { body: '[]' },
          { body: 'null' },
          { body: '{"name":"a","name":"b"}' },
          { body: '{"__proto__":{}}' },
          { body: '{"colour":"red"}' },
          { body: 'name=a', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
          { body: '{}', headers: { 'content-type': 'text/plain' } },
        ])
          assertProblem(await ask(more), 'invalid_request', more.body);
      });

    if (operation.request.params !== undefined)
      test("an id that is no one's, or another account's, is not found", async () => {
        for (const strange of ['x'.repeat(201), 'key_none', "' or 1=1 --", '../..', '😀'])
          assertProblem(await ask({ id: strange }), 'not_found', strange);
        assertProblem(await ask({ id: 'a\0b' }), 'invalid_request', 'U+0000');
        const { id: named = '', body } = await requests[id]();
        const stranger = await openBrowser(service, await service.connectAccount());
        const answer = await stranger.ask(at({ id: named }), { method: operation.method, body });
        assertProblem(answer, 'not_found', "another account's");
      });
  });
}

test('a list of two thousand styles comes to the studio whole, and no other body holds so many values', async () => {
  const words = 'soft light from the left, long shadows, the grain of an old film';
  const styles = Array.from({ length: 2_000 }, (_, i) => ({
    id: `style-${i}`,
    name: `Style ${i}`,
    type: 'image',
    words,
  }));
  service.studio.script('publishStyles', { json: { version: 2, changed: true } });
  const path = '/console/api/administration/styles';
  const answer = await browser.ask(path, { method: 'PUT', body: { version: 1, styles } });
  assert.equal(answer.status, 200, answer.text);
  const sent = service.studio.seen.findLast(({ operation }) => operation === 'publishStyles');
  assert.deepEqual(JSON.parse(sent?.body ?? 'null'), { version: 1, styles });
  const long = styles.map((style) => ({ ...style, words: words.repeat(10) }));
  const refused = await browser.ask(path, { method: 'PUT', body: { version: 1, styles: long } });
  assertProblem(refused, 'invalid_request', 'more than a megabyte');
  const other = await browser.ask('/console/api/keys', {
    method: 'POST',
    body: { name: 'a', scopes: styles },
  });
  assertProblem(other, 'invalid_request', 'a key');
  assert.match(other.text, /more than 1000 values/);
});

test('what asks for a fresh sign-in is refused to a session of which that is over, whatever its browser says', async () => {
  service.studio.script('publishStyles', (request, response) => {
    const isFresh = request.headers[freshSignInHeader] === 'true';
    const answer = isFresh
      ? { version: 2, changed: true }
      : { code: 'sign_in_required', message: 'Sign in again to change this.' };
    response.writeHead(isFresh ? 200 : 403, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  });
  const styles = [{ id: 'noir', name: 'Noir', type: 'image', words: 'in black and white' }];
  const publish = (by: ConsoleBrowser) =>
    by.ask<Problem>('/console/api/administration/styles', {
      method: 'PUT',
      body: { version: 1, styles },
      headers: { [freshSignInHeader]: 'true' },
    });
  const now = Math.floor(Date.now() / 1_000);
  const fresh = await openBrowser(service, service.accountId, now - 600);
  assert.equal((await publish(fresh)).status, 200);
  await service.database.rows(
    `update sessions set authenticated_at = clock() - interval '901 seconds' where id = $1`,
    [fresh.sessionId],
  );
  // A session without the time of its sign-in does not count as fresh either.
  for (const stale of [fresh, browser]) {
    const { status, body } = await publish(stale);
    assert.deepEqual(
      [status, body.code, body.detail],
      [403, 'sign_in_required', 'Sign in again to change this.'],
    );
  }
});

/** The seed differs on each run. FUZZ_REQUESTS sets the number of requests. */
const total = Number(process.env['FUZZ_REQUESTS'] ?? 600);
const seed = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31));

test(`${total} requests built from the schemas get answers or valid problems (seed ${seed})`, async (context) => {
  context.diagnostic(`FUZZ_SEED=${seed} builds the same requests again`);
  const random = createRandom(seed);
  // These operations would end the session itself, or contact remote addresses.
  const { signOut: _, endSession: __, ...rest } = consoleOperations;
  const byPerson = Object.fromEntries(
    Object.entries(operations).map(([id, one]) => [id, { ...one, path: `/console/api${one.path}` }]),
  );
  const known = [
    await newKey(),
    await newDelivery(),
    await newId('/console/api/v1/projects', { title: 'Known' }),
  ];
  // One session may send 600 requests per minute.
  const browsers = await Promise.all(
    Array.from({ length: 5 + Math.ceil(total / 400) }, () => openBrowser(service)),
  );
  let left = total;
  let good = 0;
  const work = async () => {
    while (left-- > 0) {
      const built = buildRequest(random, random() < 0.7 ? rest : byPerson, known);
      const by = browsers[left % browsers.length] as ConsoleBrowser;
      const body = built.method === 'GET' ? undefined : built.body;
      const answer = await by.ask(built.path, { method: built.method, headers: built.headers, body });
      const what = JSON.stringify(built).slice(0, 600);
      assert.ok(answer.status < 500, `${what} → ${answer.text}`);
      const { code = '' } = (answer.body ?? {}) as { code?: string };
      if (answer.status < 400) good++;
      else if (code in consoleProblemCodes) assert.equal(answer.status, 403, what);
      else assertProblem(answer, undefined, what);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  assert.ok(good > total / 10, `${good} of ${total} were good`);
  assert.doesNotMatch(service.logged.join('\n'), /a request failed/);
});
