import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createTestDatabase, endSessionsOf, type TestDatabase } from '../testing/database.ts';
import { startTcpProxy } from '../testing/tcp-proxy.ts';
import { until } from '../testing/until.ts';
import type { Database } from './database.ts';
import { withSessionLock } from './session-lock.ts';

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase('empty');
});
after(() => db[Symbol.asyncDispose]());

/** The time-out for an answer that the test holds back. Milliseconds. */
const impatientMs = 2_000;
/** Longer than any answer that a test needs, even on the busiest machine. Milliseconds. */
const patientMs = 60_000;

/** Opens a pool with one connection, already connected, that stops waiting for an answer after this time. */
async function openPool(
  url: string,
  name: string,
  patience = patientMs,
): Promise<AsyncDisposable & { database: Database }> {
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    query_timeout: patience,
    // The pool never closes its connection for being idle.
    idleTimeoutMillis: 0,
    application_name: name,
  });
  pool.on('error', () => undefined);
  (await pool.connect()).release();
  return { database: { ...db.database, pool }, [Symbol.asyncDispose]: () => pool.end() };
}

/** Returns how many sessions hold the lock with this name. */
async function holders(name: string): Promise<number> {
  const held = await db.database.rows(
    `select from pg_locks where locktype = 'advisory' and granted
      and (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0)`,
    [name],
  );
  return held.length;
}

/** Waits until the expected number of sessions hold the lock. */
async function untilHolders(name: string, expected: number): Promise<void> {
  await until(`${expected} holders`, () => holders(name), { isSo: (count) => count === expected });
}

test('one session has the lock of a name at a time, and lets go of it however its work ends', async () => {
  const inner = await withSessionLock(db.database, 'one', async (session) => {
    assert.equal((await session.rows<{ n: number }>('select 1 as n'))[0]?.n, 1);
    assert.equal(await withSessionLock(db.database, 'another', async () => 'free'), 'free');
    return withSessionLock(db.database, 'one', async () => 'taken twice');
  });
  assert.equal(inner, undefined);
  await assert.rejects(
    withSessionLock(db.database, 'one', () => Promise.reject(new Error('its work failed'))),
    /its work failed/,
  );
  assert.equal(await holders('one'), 0);
});

test('a lock that was taken after its answer had been given up is kept by nobody', async () => {
  await using proxy = await startTcpProxy(db.url);
  await using impatient = await openPool(proxy.url, 'impatient', impatientMs);
  proxy.hold();
  let worked = false;
  const tried = withSessionLock(impatient.database, 'late', async () => (worked = true));
  await assert.rejects(tried, /Query read timeout/);
  proxy.pass();
  await untilHolders('late', 0);
  assert.equal(await withSessionLock(db.database, 'late', async () => 'free'), 'free');
  // Applies to the next connection of the pool.
  impatient.database.pool.options.query_timeout = patientMs;
  assert.equal(await withSessionLock(impatient.database, 'late', async () => 'again'), 'again');
  assert.equal(worked, false);
});

test('a lock that its session cannot let go of goes with the connection', async () => {
  await using one = await openPool(db.url, 'failed');
  const done = await withSessionLock(one.database, 'end', async (session) => {
    await session.rows('begin');
    await assert.rejects(session.rows('select 1 / 0'), /division by zero/);
    return 'done';
  });
  assert.equal(done, 'done');
  await untilHolders('end', 0);
});

test('work is told when its lock is lost, and its connection is not used again', async () => {
  await using one = await openPool(db.url, 'ended');
  const told = withSessionLock(one.database, 'lost', async (session, lost) => {
    await endSessionsOf(db.database, 'ended');
    while (!lost.aborted) await sleep(10);
    assert.equal(await withSessionLock(db.database, 'lost', async () => 'free'), 'free');
    await session.rows('select 1');
  });
  await assert.rejects(told, /connection|terminat/i);
  assert.equal(await withSessionLock(one.database, 'lost', async () => 'again'), 'again');
});
