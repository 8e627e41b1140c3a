import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { apiKeyPattern } from '@renderkit/contract/v1/identifiers.ts';
import { listen } from '@renderkit/server-kit/db/notify.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { createTestDatabase, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import { operator } from '../audit/actor.ts';
import { listAudit } from '../audit/queries.ts';
import { createKey } from './create-key.ts';
import { listKeys, showKey } from './list-keys.ts';
import { revokedKeysChannel, revokeKey } from './revoke-key.ts';
import { updateKey } from './update-key.ts';

describe('keys', () => {
  let db: TestDatabase;
  before(async () => (db = await createTestDatabase('service')));
  after(() => db[Symbol.asyncDispose]());

  const newAccount = async () => {
    const id = newId('acc_');
    await db.database.rows('insert into accounts (id, studio_id, studio_account_id) values ($1, $2, $1)', [
      id,
      's',
    ]);
    return id;
  };
  const refusedWith = (code: string, field?: string) => (error: unknown) =>
    error instanceof ApiProblem &&
    error.code === code &&
    (field === undefined || error.errors?.[0]?.field === field);

  test('a new key is shown once, has every scope, and is listed without its secret', async () => {
    const accountId = await newAccount();
    const { id, key } = await createKey(db.database, { accountId, name: 'first' }, operator.actor);
    assert.match(key, apiKeyPattern);
    const [listed] = await listKeys(db.database, accountId);
    assert.deepEqual(
      { ...listed, createdAt: '' },
      {
        id,
        prefix: key.slice(0, 20),
        name: 'first',
        scopes: ['read', 'generate', 'uploads', 'projects', 'library'],
        dailyBudgetMillicredits: null,
        rateLimitPerMinute: 120,
        confirmAboveMillicredits: 25_000,
        status: 'active',
        createdAt: '',
        expiresAt: null,
        revokedAt: null,
        lastUsedAt: null,
      },
    );
    assert.doesNotMatch(
      JSON.stringify(await db.database.rows('select * from api_keys')),
      new RegExp(key.slice(-32)),
    );
  });

  test('a key of no account, or with a wrong setting, is not made', async () => {
    const accountId = await newAccount();
    await assert.rejects(
      createKey(db.database, { accountId: 'acc_none', name: 'x' }, operator.actor),
      refusedWith('not_found'),
    );
    const make = (more: object) => createKey(db.database, { accountId, name: 'x', ...more }, operator.actor);
    await assert.rejects(make({ name: '' }), refusedWith('invalid_request', 'name'));
    await assert.rejects(make({ name: 'a\0b' }), refusedWith('invalid_request', 'name'));
    await assert.rejects(make({ scopes: ['all'] }), refusedWith('invalid_request', 'scopes'));
    await assert.rejects(make({ scopes: [] }), refusedWith('invalid_request', 'scopes'));
    await assert.rejects(
      make({ dailyBudgetMillicredits: -1 }),
      refusedWith('invalid_request', 'daily_budget'),
    );
    await assert.rejects(make({ rateLimitPerMinute: 0 }), refusedWith('invalid_request', 'rate_limit'));
    await assert.rejects(make({ expiresInDays: 0.5 }), refusedWith('invalid_request', 'expires_in_days'));
    assert.deepEqual(await listKeys(db.database, accountId), []);
  });

  test('fifty active keys are the most, however many are made at once', async () => {
    const accountId = await newAccount();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, (_, i) =>
        createKey(db.database, { accountId, name: `key ${i}` }, operator.actor),
      ),
    );
    const made = outcomes.filter((one) => one.status === 'fulfilled');
    assert.equal(made.length, 50);
    for (const one of outcomes) if (one.status === 'rejected') assert.ok(refusedWith('conflict')(one.reason));
    await revokeKey(db.database, made[0]?.value.id ?? '', operator);
    await createKey(db.database, { accountId, name: 'one may be made again' }, operator.actor);
  });

  test('however many keys have ended, all active ones are listed with the newest of the others', async () => {
    const accountId = await newAccount();
    const { id: oldest } = await createKey(db.database, { accountId, name: 'oldest' }, operator.actor);
    const rows = await db.database.rows<{ id: string }>(
      `insert into api_keys (id, account_id, public_id, secret_sha256, name, scopes, rate_limit_per_minute, created_at,
                             revoked_at)
       select 'key_ended' || n, $1, lpad(n::text, 12, '0'), sha256(n::text::bytea), 'ended', '{read}', 60,
              clock() + n * interval '1 second', clock()
         from generate_series(1, 300) n order by n returning id`,
      [accountId],
    );
    const newest = rows.map(({ id }) => id).slice(-199);
    assert.deepEqual(
      (await listKeys(db.database, accountId)).map(({ id }) => id),
      [...newest.toReversed(), oldest],
    );
  });

  test('a revocation is announced to every process', async () => {
    const accountId = await newAccount();
    const { id } = await createKey(db.database, { accountId, name: 'x' }, operator.actor);
    const log = createLogger({ part: 'test', level: 'silent' });
    const { promise: listening, resolve: onConnect } = Promise.withResolvers<void>();
    const { promise: heard, resolve: onIds } = Promise.withResolvers<string[]>();
    await using _listener = listen({
      url: db.url,
      channels: { [revokedKeysChannel]: onIds },
      log,
      onConnect,
    });
    await listening;
    await revokeKey(db.database, id, operator);
    assert.deepEqual(await heard, [id]);
    await revokeKey(db.database, id, operator);
    assert.equal((await listKeys(db.database, accountId))[0]?.status, 'revoked');
    await assert.rejects(revokeKey(db.database, 'key_none', operator), refusedWith('not_found'));
  });

  test('an active key changes its name, budget and rate, each written down once', async () => {
    const accountId = await newAccount();
    const asker = { accountId, actor: { kind: 'person', sessionId: 'ses_1', email: 'a@b.c' } } as const;
    const { id } = await createKey(db.database, { accountId, name: 'old' }, asker.actor);
    const change = (changes: Parameters<typeof updateKey>[2]) => updateKey(db.database, id, changes, asker);
    await change({ name: '<img src=x onerror=alert(1)>', dailyBudgetMillicredits: 1_500 });
    await change({ dailyBudgetMillicredits: null, rateLimitPerMinute: 7 });
    await change({ confirmAboveMillicredits: null });
    await change({});
    await change({ rateLimitPerMinute: 7 });
    const { name, dailyBudgetMillicredits, rateLimitPerMinute, confirmAboveMillicredits } = await showKey(
      db.database,
      id,
      accountId,
    );
    assert.deepEqual(
      [name, dailyBudgetMillicredits, rateLimitPerMinute, confirmAboveMillicredits],
      ['<img src=x onerror=alert(1)>', null, 7, null],
    );
    await assert.rejects(change({ name: 'a\nb' }), refusedWith('invalid_request', 'name'));
    const entries = await listAudit(db.database, { accountId, offset: 0, limit: 10 });
    assert.deepEqual(
      entries.map(({ action, subject_name, details }) => [action, subject_name, details]),
      [
        ['key.updated', '<img src=x onerror=alert(1)>', { confirm_above: 'never' }],
        ['key.updated', '<img src=x onerror=alert(1)>', { daily_budget: 'none', rate_limit: '7' }],
        ['key.updated', 'old', { name: '<img src=x onerror=alert(1)>', daily_budget: '1.5' }],
        [
          'key.created',
          'old',
          {
            scopes: 'read, generate, uploads, projects, library',
            daily_budget: 'none',
            rate_limit: '120',
            confirm_above: '25',
          },
        ],
      ],
    );
  });

  test('what ended cannot be changed, and a second revocation is not written down', async () => {
    const accountId = await newAccount();
    const { id } = await createKey(db.database, { accountId, name: 'x', expiresInDays: 1 }, operator.actor);
    const change = () => updateKey(db.database, id, { name: 'y' }, operator);
    await db.database.rows('update api_keys set expires_at = clock() where id = $1', [id]);
    await assert.rejects(change(), refusedWith('conflict'));
    await revokeKey(db.database, id, operator, { reason: 'lost' });
    await revokeKey(db.database, id, operator, { reason: 'lost' });
    await assert.rejects(change(), refusedWith('conflict'));
    const entries = await listAudit(db.database, { accountId, offset: 0, limit: 10 });
    assert.deepEqual(
      entries.map(({ action, actor, details }) => [action, actor, details['reason']]),
      [
        ['key.revoked', 'operator', 'lost'],
        ['key.created', 'operator', undefined],
      ],
    );
  });

  test("another account's key, the console's own and one that never was are all unknown", async () => {
    const [mine, other] = [await newAccount(), await newAccount()];
    const { id } = await createKey(db.database, { accountId: mine, name: 'x' }, operator.actor);
    await db.database.rows(
      `insert into api_keys (id, account_id, kind, name, scopes, rate_limit_per_minute)
       values ('key_console', $1, 'console', 'Console', '{read}', 120)`,
      [other],
    );
    const asker = { accountId: other, actor: operator.actor };
    for (const unknown of [id, 'key_console', 'key_none']) {
      await assert.rejects(revokeKey(db.database, unknown, asker), refusedWith('not_found'));
      await assert.rejects(updateKey(db.database, unknown, { name: 'y' }, asker), refusedWith('not_found'));
      await assert.rejects(showKey(db.database, unknown, other), refusedWith('not_found'));
    }
    await assert.rejects(revokeKey(db.database, 'key_console', operator), refusedWith('not_found'));
    assert.deepEqual(await listKeys(db.database, other), []);
    assert.deepEqual(await listAudit(db.database, { accountId: other, offset: 0, limit: 10 }), []);
    for (let i = 0; i < 50; i++)
      await createKey(db.database, { accountId: other, name: `key ${i}` }, operator.actor);
    await assert.rejects(
      createKey(db.database, { accountId: other, name: 'one too many' }, operator.actor),
      refusedWith('conflict'),
    );
  });
});
