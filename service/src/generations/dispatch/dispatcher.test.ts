import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { limitsOf, seedAccount, seedQueue } from '../testing/seed.ts';
import { startDispatcher } from './dispatcher.ts';
import type { Claim } from './store.ts';
import { WokenAccounts } from './woken-accounts.ts';

const log = createLogger({ part: 'test', level: 'silent' });
const accounts = 10;
const ofEach = 60;
/** 64 submits at once, and 256 claims that wait. */
const maxHeld = 320;

test('while the studio is slow no more is claimed than is soon submitted, and then all is, of every account', async () => {
  await using db = await createTestDatabase('service', { poolSize: 4 });
  const { database } = db;
  const owners = [];
  for (let n = 0; n < accounts; n++) {
    const account = await seedAccount(database, { limits: limitsOf(1_000) });
    await seedQueue(database, account, ofEach);
    owners.push(account.accountId);
  }
  const submitted: Claim[] = [];
  const slow = Promise.withResolvers<void>();
  const wokenAccounts = new WokenAccounts(log);
  await using _dispatcher = startDispatcher({
    database,
    log,
    owner: 'svc_one',
    submit: async (claim) => {
      submitted.push(claim);
      await slow.promise;
    },
    limits: { refresh: () => undefined },
    wokenAccounts,
    leaseMs: 60_000,
    reconcileMs: 50,
  });
  for (const accountId of owners) wokenAccounts.wake(accountId);
  const held = async () => {
    const [row] = await database.rows<{ held: number }>(
      'select count(*)::integer as held from generations where holds_slot',
    );
    return row?.held ?? 0;
  };
  while ((await held()) < maxHeld / 2) await sleep(10);
  // Long enough for ten reconciliations, each of which finds the waiting generations.
  await sleep(500);
  const atMost = await held();
  assert.ok(atMost <= maxHeld, `${atMost} are held`);
  slow.resolve();
  while (submitted.length < accounts * ofEach) await sleep(10);
  assert.equal(new Set(submitted.map(({ id }) => id)).size, accounts * ofEach);
  // Accounts take turns: the first half holds about half of each account's generations.
  const early = submitted.slice(0, (accounts * ofEach) / 2);
  for (const owner of owners) {
    const share = early.filter(({ accountId }) => accountId === owner).length;
    assert.ok(share >= ofEach / 4, `${share} of the first half`);
  }
});
