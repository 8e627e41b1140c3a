import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { apiKeyPattern } from '@renderkit/contract/v1/identifiers.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { createLogger } from '@renderkit/server-kit/logger.ts';
import { listen } from '@renderkit/server-kit/notify.ts';
import { createTestDatabase, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import { createKey } from './create-key.ts';
import { listKeys } from './list-keys.ts';
import { revokedKeysChannel, revokeKey } from './revoke-key.ts';

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
    const { id, key } = await createKey(db.database, { accountId, name: 'first' });
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
      createKey(db.database, { accountId: 'acc_none', name: 'x' }),
      refusedWith('not_found'),
    );
    const make = (more: object) => createKey(db.database, { accountId, name: 'x', ...more });
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
      Array.from({ length: 60 }, (_, i) => createKey(db.database, { accountId, name: `key ${i}` })),
    );
    const made = outcomes.filter((one) => one.status === 'fulfilled');
    assert.equal(made.length, 50);
    for (const one of outcomes) if (one.status === 'rejected') assert.ok(refusedWith('conflict')(one.reason));
    await revokeKey(db.database, made[0]?.value.id ?? '');
    await createKey(db.database, { accountId, name: 'the place is free again' });
  });

  test('a revocation is announced to every process', async () => {
    const accountId = await newAccount();
    const { id } = await createKey(db.database, { accountId, name: 'x' });
    const log = createLogger({ part: 'test', level: 'silent' });
    const { promise: listening, resolve: onConnect } = Promise.withResolvers<void>();
    const { promise: heard, resolve: onIds } = Promise.withResolvers<string[]>();
    await using _listener = listen({ url: db.url, channel: revokedKeysChannel, log, onIds, onConnect });
    await listening;
    await revokeKey(db.database, id);
    assert.deepEqual(await heard, [id]);
    await revokeKey(db.database, id);
    assert.equal((await listKeys(db.database, accountId))[0]?.status, 'revoked');
    await assert.rejects(revokeKey(db.database, 'key_none'), refusedWith('not_found'));
  });
});
