import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '@renderkit/server-kit/db/database.ts';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { createTestDatabase, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { seedAccount } from '../generations/testing/seed.ts';
import { FacadeCalls } from './facade-calls.ts';

const log = createLogger({ part: 'test', level: 'fatal' });

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase('service');
});
after(() => db[Symbol.asyncDispose]());

/** Simulates a process as other processes see it: a session with a lock, and the calls that it holds. */
async function startProcess(key: number) {
  const session = openDatabase({ url: db.url, poolSize: 1, applicationName: 'presence' });
  await session.rows('select pg_advisory_lock($1)', [key]);
  const calls = new FacadeCalls({ database: db.database, presence: { key }, log });
  let ended: PromiseLike<void> | undefined;
  const endSession = () => (ended ??= session[Symbol.asyncDispose]());
  const end = async () => {
    await calls[Symbol.asyncDispose]();
    await endSession();
  };
  return { calls, endSession, [Symbol.asyncDispose]: end };
}

const equal = {
  route: 'test',
  identity: { prompt: 'a lake' },
  request: { prompt: 'a lake' },
  repeats: false,
};

test('a client that is back before the session of its killed process has ended has its first call', async () => {
  const { accountId } = await seedAccount(db.database);
  await using killed = await startProcess(4711);
  const first = await killed.calls.take({ ...equal, accountId });
  // The process no longer renews its leases.
  await killed.calls[Symbol.asyncDispose]();
  await db.database.rows(
    `update facade_calls set held_until = clock() + interval '2 seconds' where account_id = $1`,
    [accountId],
  );
  await using other = await startProcess(4712);
  const repeated = other.calls.take({ ...equal, accountId });
  await sleep(50);
  await killed.endSession();
  const { id, adopted } = await repeated;
  assert.deepEqual([id, adopted], [first.id, true]);
  const rows = await db.database.rows('select id from facade_calls where account_id = $1', [accountId]);
  assert.deepEqual(rows, [{ id: first.id }]);
});

test('an equal request beside one whose process lives is another one', async () => {
  const { accountId } = await seedAccount(db.database);
  await using process = await startProcess(4713);
  const [one, two] = await Promise.all([1, 2].map(() => process.calls.take({ ...equal, accountId })));
  assert.notEqual(one?.id, two?.id);
  assert.deepEqual([one?.adopted, two?.adopted], [false, false]);
});
