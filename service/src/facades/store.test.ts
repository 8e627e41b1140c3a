import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { keepPresence, type Presence } from '@renderkit/server-kit/db/presence.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import {
  createTestDatabase,
  endSessionsOf,
  moveClock,
  type TestDatabase,
} from '@renderkit/server-kit/testing/database.ts';
import { seedAccount } from '../generations/testing/seed.ts';
import {
  holdFacadeCall,
  isAbandoned,
  letGo,
  recordDelivered,
  refuseCall,
  renewHolders,
  wasOverRate,
} from './store.ts';

const log = createLogger({ part: 'test', level: 'fatal' });
const leaseSeconds = 10;

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase('service');
});
after(() => db[Symbol.asyncDispose]());

/**
 * Returns a function that makes equal requests of one account, each with the presence of the process that receives it.
 */
async function equalRequests() {
  const { accountId } = await seedAccount(db.database);
  return async (presence: number | undefined, more: { repeats?: boolean; giveUp?: boolean } = {}) => {
    const call = { id: newId('fcl_'), holder: newId('fch_') };
    const taken = await holdFacadeCall(db.database, {
      ...call,
      accountId,
      fingerprint: 'ab'.repeat(32),
      request: { asked: call.id },
      leaseSeconds,
      presence,
      repeats: more.repeats ?? false,
      unsaidSeconds: 120,
      saidSeconds: 900,
      giveUp: more.giveUp ?? false,
    });
    return { ...taken, ...call, id: taken.id };
  };
}

async function start(): Promise<Presence & { key: number }> {
  const presence = keepPresence({ url: db.url, log });
  while (presence.key === undefined) await sleep(10);
  return presence as Presence & { key: number };
}

/** Ends a presence like a killed process does, and waits until the database has noticed. */
async function end(presence: Presence & { key: number }): Promise<void> {
  const { key } = presence;
  await presence[Symbol.asyncDispose]();
  const held = `select from pg_locks where locktype = 'advisory' and (classid::bigint << 32 | objid::bigint) = $1`;
  while ((await db.database.rows(held, [key])).length > 0) await sleep(10);
}

test('an equal request beside one whose process lives is another', async () => {
  await using one = await start();
  await using other = await start();
  const ask = await equalRequests();
  assert.equal((await ask(one.key)).outcome, 'new');
  assert.equal((await ask(other.key)).outcome, 'new');
  assert.equal((await ask(one.key)).outcome, 'new');
});

test('an equal request waits for the lease of a process that is gone, and has its call then', async () => {
  const gone = await start();
  await using other = await start();
  const ask = await equalRequests();
  const first = await ask(gone.key);
  await end(gone);
  // Two processes may check at once and both see that the third is gone.
  const outcomes = await Promise.all([ask(other.key), ask(other.key)]);
  assert.deepEqual(
    outcomes.map(({ outcome }) => outcome),
    ['held', 'held'],
  );
  await moveClock(db.database, leaseSeconds + 1);
  const adopted = await ask(other.key);
  assert.deepEqual([adopted.outcome, adopted.request], ['adopted', { asked: first.id }]);
  assert.equal((await ask(other.key)).outcome, 'new', 'its new holder lives');
  await moveClock(db.database, 0);
});

test('a lost session hands nothing over: its process lives, and is seen again', async () => {
  await using one = await start();
  await using other = await start();
  const ask = await equalRequests();
  const first = await ask(one.key);
  const { key } = one;
  await endSessionsOf(db.database, 'presence');
  const during = await ask(other.key);
  assert.notEqual(during.outcome, 'adopted');
  while (one.key === undefined) await sleep(10);
  assert.equal(one.key, key, 'by the key that its calls have');
  assert.equal((await ask(other.key)).outcome, 'new');
  await recordDelivered(db.database, { id: first.id ?? '', holder: first.holder });
});

test('who has waited long enough is let in, and a process without presence is waited for by nobody', async () => {
  const gone = await start();
  const ask = await equalRequests();
  await ask(gone.key);
  await end(gone);
  assert.equal((await ask(undefined, { giveUp: true })).outcome, 'new');
  const askOf = await equalRequests();
  await askOf(undefined);
  assert.equal((await askOf(undefined)).outcome, 'new');
  assert.equal((await askOf(undefined, { repeats: true })).outcome, 'held');
});

test('a repetition that waits for a lease has the call then, though two minutes have passed since its create', async () => {
  const gone = await start();
  await using other = await start();
  const ask = await equalRequests();
  const first = await ask(gone.key);
  await renewHolders(db.database, { ids: [first.holder], leaseMs: 122_000 });
  await end(gone);
  await moveClock(db.database, 115);
  assert.equal((await ask(other.key)).outcome, 'held');
  await moveClock(db.database, 123);
  assert.equal((await ask(other.key)).outcome, 'adopted');
  await moveClock(db.database, 0);
});

test('the two minutes of a call that was held for longer begin when its process is killed or its client gone', async () => {
  const gone = await start();
  await using other = await start();
  const ask = await equalRequests();
  const first = await ask(gone.key);
  await renewHolders(db.database, { ids: [first.holder], leaseMs: 600_000 });
  await end(gone);
  await moveClock(db.database, 599);
  assert.equal((await ask(other.key)).outcome, 'held');
  await moveClock(db.database, 700);
  const second = await ask(other.key);
  assert.deepEqual([second.outcome, second.id], ['adopted', first.id]);
  await renewHolders(db.database, { ids: [second.holder], leaseMs: 600_000 });
  await moveClock(db.database, 1_000);
  await letGo(db.database, { id: first.id ?? '', holder: second.holder });
  await moveClock(db.database, 1_119);
  const third = await ask(other.key);
  assert.deepEqual([third.outcome, third.id], ['adopted', first.id]);
  await letGo(db.database, { id: first.id ?? '', holder: third.holder });
  await moveClock(db.database, 1_240);
  assert.equal((await ask(other.key)).outcome, 'new', 'two minutes are over');
  await moveClock(db.database, 0);
});

test('a call is handed on as often as it is lost, by a stop or a kill, until it was delivered', async () => {
  const gone = await start();
  await using other = await start();
  const ask = await equalRequests();
  const first = await ask(other.key);
  const id = first.id ?? '';
  await letGo(db.database, { id, holder: first.holder });
  const second = await ask(other.key);
  await letGo(db.database, { id, holder: second.holder });
  const third = await ask(gone.key);
  await end(gone);
  assert.equal((await ask(other.key)).outcome, 'held');
  await moveClock(db.database, leaseSeconds + 1);
  const fourth = await ask(other.key);
  assert.deepEqual(
    [second, third, fourth].map((taken) => [taken.outcome, taken.id]),
    [1, 2, 3].map(() => ['adopted', id]),
  );
  await recordDelivered(db.database, { id, holder: fourth.holder });
  assert.equal((await ask(other.key)).outcome, 'new');
  await moveClock(db.database, 0);
});

test('what was refused is had by who repeats it, in two minutes, and by nobody else', async () => {
  const ask = await equalRequests();
  const delivered = await ask(undefined);
  await recordDelivered(db.database, { id: delivered.id ?? '', holder: delivered.holder });
  const refused = [await ask(undefined), await ask(undefined)];
  for (const { id, holder } of refused) await refuseCall(db.database, { id: id ?? '', holder });
  const other = await ask(undefined);
  assert.equal(other.outcome, 'new', 'it does not say that it repeats');
  await recordDelivered(db.database, { id: other.id ?? '', holder: other.holder });
  const again = await ask(undefined, { repeats: true });
  assert.equal(again.id, other.id, 'it was answered after they were refused');
  const repeated = [await ask(undefined, { repeats: true }), await ask(undefined, { repeats: true })];
  assert.deepEqual(new Set(repeated.map(({ id }) => id)), new Set(refused.map(({ id }) => id)));
  for (const { id, holder } of repeated) await refuseCall(db.database, { id: id ?? '', holder });
  await moveClock(db.database, 121);
  const late = await ask(undefined, { repeats: true });
  assert.ok(!refused.some(({ id }) => id === late.id));
  await moveClock(db.database, 0);
});

test('what was refused before it was answered is had once more, and is not taken for what was answered since', async () => {
  const ask = await equalRequests();
  const refuse = ({ id, holder }: { id: string | null; holder: string }) =>
    refuseCall(db.database, { id: id ?? '', holder });
  const deliver = ({ id, holder }: { id: string | null; holder: string }) =>
    recordDelivered(db.database, { id: id ?? '', holder });
  const first = await ask(undefined);
  await refuse(first);
  const again = await ask(undefined, { repeats: true });
  await deliver(again);
  const lost = await ask(undefined, { repeats: true });
  assert.deepEqual([again.id, lost.id], [first.id, first.id]);
  await deliver(lost);
  assert.equal((await ask(undefined, { repeats: true })).outcome, 'new');
  const other = await equalRequests();
  await refuse(await other(undefined));
  await moveClock(db.database, 15);
  const answered = await other(undefined);
  await deliver(answered);
  assert.equal((await other(undefined, { repeats: true })).id, answered.id);
  await moveClock(db.database, 0);
});

test('what was delivered is had again by who repeats it within fifteen minutes', async () => {
  for (const [seconds, outcome] of [
    [890, 'adopted'],
    [910, 'new'],
  ] as const) {
    const ask = await equalRequests();
    const { id, holder } = await ask(undefined);
    await recordDelivered(db.database, { id: id ?? '', holder });
    await moveClock(db.database, seconds);
    assert.equal((await ask(undefined, { repeats: true })).outcome, outcome);
    await moveClock(db.database, 0);
  }
});

test('a key was over its rate for the minute in which it was, and the next', async () => {
  const { keyId } = await seedAccount(db.database);
  await db.database.rows(
    `insert into rate_windows (key_id, minute, requests) values ($1, date_trunc('minute', clock()), 4)`,
    [keyId],
  );
  assert.equal(await wasOverRate(db.database, { keyId, limit: 4 }), false);
  assert.equal(await wasOverRate(db.database, { keyId, limit: 3 }), true);
  await moveClock(db.database, 60);
  assert.equal(await wasOverRate(db.database, { keyId, limit: 3 }), true);
  await moveClock(db.database, 120);
  assert.equal(await wasOverRate(db.database, { keyId, limit: 3 }), false);
  await moveClock(db.database, 0);
});

test('a call is abandoned half a minute after its last client has gone, and not after its first', async () => {
  const ask = await equalRequests();
  const gone = async () => {
    const { id, holder } = await ask(undefined);
    await letGo(db.database, { id: id ?? '', holder });
    return id ?? '';
  };
  const id = await gone();
  assert.equal(await isAbandoned(db.database, id, 27_000), false);
  await moveClock(db.database, 29);
  assert.equal(await isAbandoned(db.database, id, 27_000), true);
  assert.equal(await gone(), id, 'it came back, and has gone again');
  await moveClock(db.database, 31);
  assert.equal(await isAbandoned(db.database, id, 27_000), false);
  await moveClock(db.database, 58);
  assert.equal(await isAbandoned(db.database, id, 27_000), true);
  await moveClock(db.database, 0);
});
