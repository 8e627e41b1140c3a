import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { type Database, openDatabase } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { createTestDatabase, moveClock, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import { operator } from '../audit/actor.ts';
import { createKey, type NewKey } from '../keys/create-key.ts';
import { newKeyText } from '../keys/key-text.ts';
import { listKeys } from '../keys/list-keys.ts';
import { revokeKey } from '../keys/revoke-key.ts';
import { Admission } from './admit.ts';

const log = createLogger({ part: 'test', level: 'silent' });

function request(headers: Record<string, string | undefined>, raw?: string[]): IncomingMessage {
  return {
    headers,
    rawHeaders: raw ?? (Object.entries(headers).flat() as string[]),
  } as unknown as IncomingMessage;
}
const bearer = (key: string) => request({ authorization: `Bearer ${key}` });
const outcome = (promise: Promise<{ number: number }>) =>
  promise.then(
    ({ number }) => number,
    (error: unknown) => (error instanceof ApiProblem ? error.code : 'failed'),
  );

describe('admission', () => {
  let db: TestDatabase;
  let database: Database;
  let admission: Admission;
  let accountId: string;

  before(async () => {
    db = await createTestDatabase('service');
    database = db.database;
    admission = new Admission({ database, log });
    accountId = newId('acc_');
    await database.rows('insert into accounts (id, studio_id, studio_account_id) values ($1, $2, $3)', [
      accountId,
      'studio',
      accountId,
    ]);
  });
  after(async () => {
    await admission[Symbol.asyncDispose]();
    await db[Symbol.asyncDispose]();
  });

  const newKey = async (more: Partial<NewKey> = {}) => {
    await database.rows('update api_keys set revoked_at = clock() where account_id = $1', [accountId]);
    return createKey(database, { accountId, name: 'a key', ...more }, operator.actor);
  };
  /** Waits until the middle of a minute, so that no window ends within a test. */
  const settle = async () => {
    const [row] = await database.rows<{ second: number }>(
      'select extract(second from statement_timestamp())::float8 as second',
    );
    await moveClock(database, 30 - (row?.second ?? 0));
  };

  test('a key makes a principal, by either header', async () => {
    const { id, key } = await newKey({ scopes: ['read', 'library'], rateLimitPerMinute: 7 });
    for (const headers of [
      { authorization: `Bearer ${key}` },
      { authorization: `bearer  ${key}` },
      { 'x-api-key': key },
      { authorization: `Bearer ${key}`, 'x-api-key': key },
    ]) {
      const admitted = await admission.admit(request(headers));
      assert.equal(admitted.principal.key.id, id);
      assert.deepEqual(admitted.principal.account, {
        id: accountId,
        studioId: 'studio',
        studioAccountId: accountId,
      });
      assert.deepEqual([...admitted.principal.scopes], ['read', 'library']);
      assert.equal(admitted.limit, 7);
      assert.ok(admitted.secondsLeft >= 1 && admitted.secondsLeft <= 60);
    }
  });

  test('a principal says whether its key has a budget, be it of nothing', async () => {
    for (const [dailyBudgetMillicredits, hasBudget] of [
      [null, false],
      [0, true],
      [5_000, true],
    ] as const) {
      const { key } = await newKey({ dailyBudgetMillicredits });
      assert.equal((await admission.admit(bearer(key))).principal.key.hasBudget, hasBudget);
    }
  });

  test('whatever is wrong with a key, the answer is the same', async () => {
    const { id: revokedId, key: revoked } = await newKey();
    await revokeKey(database, revokedId, operator);
    const { id: expiredId, key: expired } = await newKey({ expiresInDays: 1 });
    await database.rows(`update api_keys set expires_at = clock() where id = $1`, [expiredId]);
    const { key: valid } = await newKey();
    const other = newKeyText().key;
    const wrong = valid.slice(0, -1) + (valid.endsWith('a') ? 'b' : 'a');
    const cases = [
      request({}),
      request({ authorization: valid }),
      request({ authorization: `Basic ${valid}` }),
      request({ authorization: 'Bearer ' }),
      bearer(`${valid} `),
      bearer(`${valid}x`),
      bearer(valid.replace('live', 'test')),
      bearer(other),
      bearer(wrong),
      bearer(revoked),
      bearer(expired),
      request({ authorization: `Bearer ${valid}`, 'x-api-key': other }),
      request({ authorization: `Bearer ${valid}` }, [
        'Authorization',
        `Bearer ${valid}`,
        'authorization',
        'x',
      ]),
      request({ 'x-api-key': `${valid}, ${valid}` }),
    ];
    for (const wronged of cases)
      await assert.rejects(
        admission.admit(wronged),
        (error) =>
          error instanceof ApiProblem &&
          error.code === 'unauthorized' &&
          error.message === 'A valid API key is needed: send one as a bearer token.',
      );
    assert.equal(await outcome(admission.admit(bearer(valid))), 1);
  });

  test('a key of a deleted account is refused', async () => {
    const gone = newId('acc_');
    await database.rows('insert into accounts (id, studio_id, studio_account_id) values ($1, $2, $3)', [
      gone,
      's',
      gone,
    ]);
    const { key } = await createKey(database, { accountId: gone, name: 'x' }, operator.actor);
    assert.equal(await outcome(admission.admit(bearer(key))), 1);
    await database.rows('update accounts set deleted_at = clock() where id = $1', [gone]);
    assert.equal(await outcome(admission.admit(bearer(key))), 'unauthorized');
  });

  test('each of one turn is who its own key says, whatever a studio has in its ids', async () => {
    const names = ['a,b', 'it"s \\ {a}', 'two\nlines', '\u001f\u001e', ' é😀 ', ''];
    const made = await Promise.all(
      names.map(async (name) => {
        const account = { id: newId('acc_'), studioId: `studio ${name}`, studioAccountId: name };
        await database.rows('insert into accounts (id, studio_id, studio_account_id) values ($1, $2, $3)', [
          account.id,
          account.studioId,
          account.studioAccountId,
        ]);
        const key = await createKey(database, { accountId: account.id, name: 'a key' }, operator.actor);
        return { account, key };
      }),
    );
    const all = [...made, ...made.toReversed()];
    const [unknown, ...admitted] = await Promise.all([
      outcome(admission.admit(bearer(newKeyText().key))),
      ...all.map(({ key }) => admission.admit(bearer(key.key))),
    ]);
    assert.equal(unknown, 'unauthorized');
    assert.deepEqual(
      admitted.map(({ principal }) => ({ account: principal.account, id: principal.key.id })),
      all.map(({ account, key }) => ({ account, id: key.id })),
    );
  });

  test('a wrong secret counts nothing', async () => {
    await settle();
    const { key } = await newKey();
    const wrong = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a');
    assert.equal(await outcome(admission.admit(bearer(key))), 1);
    const all = await Promise.all([
      ...Array.from({ length: 50 }, () => outcome(admission.admit(bearer(wrong)))),
      outcome(admission.admit(bearer(key))),
    ]);
    assert.deepEqual(new Set(all), new Set(['unauthorized', 2]));
    assert.equal(await outcome(admission.admit(bearer(key))), 3);
  });

  test('the requests of one turn get the numbers from 1 on, each once', async () => {
    await settle();
    const { key } = await newKey();
    const numbers = await Promise.all(
      Array.from({ length: 1_200 }, () => outcome(admission.admit(bearer(key)))),
    );
    assert.deepEqual(
      numbers.sort((a, b) => Number(a) - Number(b)),
      Array.from({ length: 1_200 }, (_, i) => i + 1),
    );
  });

  test('a window ends with the minute of the database clock', async () => {
    await settle();
    const { key } = await newKey();
    assert.equal(await outcome(admission.admit(bearer(key))), 1);
    assert.equal(await outcome(admission.admit(bearer(key))), 2);
    await moveClock(database, 120);
    assert.equal(await outcome(admission.admit(bearer(key))), 1);
    await moveClock(database, 0);
  });

  test('two processes with the same keys in different orders never wait for each other in a circle', async () => {
    await settle();
    await using second = openDatabase({ url: db.url, applicationName: 'second', poolSize: 4 });
    await using other = new Admission({ database: second, log });
    await database.rows('update api_keys set revoked_at = clock()');
    const keys = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        createKey(database, { accountId, name: `key ${i}` }, operator.actor),
      ),
    );
    const rounds = 60;
    const use = async (side: Admission) => {
      for (let round = 0; round < rounds; round++) {
        const shuffled = keys.toSorted(() => Math.random() - 0.5);
        const outcomes = await Promise.all(shuffled.map(({ key }) => outcome(side.admit(bearer(key)))));
        assert.ok(
          outcomes.every((number) => typeof number === 'number'),
          outcomes.join(),
        );
      }
    };
    await Promise.all([use(admission), use(other), use(admission), use(other)]);
    for (const { key } of keys) assert.equal(await outcome(admission.admit(bearer(key))), 4 * rounds + 1);
  });

  test('one that the database refuses fails alone', async () => {
    const poisoned = await newKey();
    const healthy = await createKey(database, { accountId, name: 'healthy' }, operator.actor);
    await database.rows(`create function poison() returns trigger language plpgsql as $$
      begin raise exception 'poisoned'; end $$`);
    await database.rows(`create trigger poison before insert on rate_windows for each row
      when (new.key_id = '${poisoned.id}') execute function poison()`);
    try {
      const outcomes = await Promise.all(
        [healthy, poisoned, healthy, poisoned, healthy].map(({ key }) =>
          outcome(admission.admit(bearer(key))),
        ),
      );
      assert.deepEqual(outcomes.filter((one) => one === 'failed').length, 2);
      assert.deepEqual(new Set(outcomes), new Set([1, 2, 3, 'failed']));
    } finally {
      await database.rows('drop trigger poison on rate_windows');
    }
  });

  test('when a key was last used is written down when admission ends', async () => {
    await moveClock(database, 0);
    const { id, key } = await newKey();
    await using own = new Admission({ database, log });
    await own.admit(bearer(key));
    await own[Symbol.asyncDispose]();
    const listed = (await listKeys(database, accountId)).find((one) => one.id === id);
    assert.ok(Math.abs(Date.parse(listed?.lastUsedAt ?? '') - Date.now()) < 10_000);
  });
});
