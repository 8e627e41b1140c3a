import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createTestDatabase, moveClock, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { transitionGenerations } from '../settle/transition-store.ts';
import { aCreate, acceptOne, limitsOf, seedAccount, seedQueue } from '../testing/seed.ts';
import {
  accountsToDispatch,
  claimGenerations,
  releaseGenerations,
  renewLeases,
  saveLimits,
} from './store.ts';

let db: TestDatabase;
let database: Database;
before(async () => {
  db = await createTestDatabase('service', { poolSize: 20 });
  database = db.database;
});
after(async () => db[Symbol.asyncDispose]());

const claimFor = (accountId: string, owner = 'svc_one') =>
  claimGenerations(database, {
    accountIds: [accountId],
    owner,
    leaseMs: 10_000,
    skipLocked: false,
    atMost: 1_000,
  });

async function claimedIds(accountId: string, owner?: string): Promise<string[]> {
  return (await claimFor(accountId, owner)).claims.map(({ id }) => id).sort();
}

const running = (id: string, accountId: string) =>
  ({ id, accountId, from: 'queued', to: 'running', chargeLedgerSeq: 2 }) as const;
const succeeded = (id: string, accountId: string) =>
  ({ id, accountId, from: 'running', to: 'succeeded' }) as const;

test('claims take the oldest, as many as the lane and the overall limit leave', async () => {
  const account = await seedAccount(database, {
    limits: { ...limitsOf(2), overall: { limit: 3, running: 0, running_elsewhere: 0 } },
  });
  const images = await seedQueue(database, account, 5);
  const videos = await seedQueue(database, account, 5, { lane: 'video', kind: 'video' });
  assert.deepEqual(
    await claimedIds(account.accountId),
    [...images.slice(0, 2), ...videos.slice(0, 1)].sort(),
  );
  assert.deepEqual(await claimedIds(account.accountId), []);
  await transitionGenerations(database, [running(images[0] as string, account.accountId)]);
  assert.deepEqual(await claimedIds(account.accountId), [], 'what runs holds its slot');
  await transitionGenerations(database, [succeeded(images[0] as string, account.accountId)]);
  assert.deepEqual(await claimedIds(account.accountId), [images[2]]);
});

test('a claim of fewer than may start takes the next of each account first, then the second of each', async () => {
  const [one, other] = [
    await seedAccount(database, { limits: limitsOf(8) }),
    await seedAccount(database, { limits: limitsOf(8) }),
  ];
  const older = await seedQueue(database, one, 5);
  const newer = await seedQueue(database, other, 2);
  const claim = async (atMost: number) => {
    const accountIds = [one.accountId, other.accountId];
    const asked = { accountIds, owner: 'svc_one', leaseMs: 10_000, skipLocked: false, atMost };
    return (await claimGenerations(database, asked)).claims.map(({ id }) => id).sort();
  };
  assert.deepEqual(await claim(3), [...older.slice(0, 2), ...newer.slice(0, 1)].sort());
  assert.deepEqual(await claim(3), [...older.slice(2, 4), ...newer.slice(1)].sort());
  assert.deepEqual(await claim(3), older.slice(4));
});

test('what runs elsewhere fills slots, and a limit that fell is honoured at once', async () => {
  const account = await seedAccount(database, { limits: limitsOf(4, 3) });
  const ids = await seedQueue(database, account, 6);
  assert.deepEqual(await claimedIds(account.accountId), ids.slice(0, 1));
  await saveLimits(database, account.accountId, limitsOf(4));
  assert.equal((await claimedIds(account.accountId)).length, 3);
  await saveLimits(database, account.accountId, limitsOf(2));
  const [first] = ids;
  await transitionGenerations(database, [running(first as string, account.accountId)]);
  await transitionGenerations(database, [succeeded(first as string, account.accountId)]);
  assert.deepEqual(await claimedIds(account.accountId), [], 'three still hold slots, two are allowed');
});

test('blocked generations are passed by', async () => {
  const account = await seedAccount(database, { limits: limitsOf(1) });
  const ids = await seedQueue(database, account, 3);
  await database.rows('update generations set blocked = true where id = any ($1)', [ids.slice(0, 2)]);
  assert.deepEqual(await claimedIds(account.accountId), ids.slice(2));
});

test('nothing is claimed without limits, while the account pauses, or while it is not connected', async () => {
  const account = await seedAccount(database);
  const ids = await seedQueue(database, account, 1);
  const { accounts } = await claimFor(account.accountId);
  assert.equal(accounts[0]?.limitsAgeMs, undefined);
  assert.equal(accounts[0]?.free, undefined);
  await saveLimits(database, account.accountId, limitsOf(1));
  await database.rows(`update connections set status = 'ended' where account_id = $1`, [account.accountId]);
  assert.equal((await claimFor(account.accountId)).accounts[0]?.connected, false);
  await database.rows(`update connections set status = 'live' where account_id = $1`, [account.accountId]);
  await database.rows(`update accounts set dispatch_after = clock() + interval '5 seconds' where id = $1`, [
    account.accountId,
  ]);
  const paused = await claimFor(account.accountId);
  assert.deepEqual(paused.claims, []);
  assert.ok(Math.abs((paused.accounts[0]?.waitMs ?? 0) - 5_000) < 1_000);
  await moveClock(database, 6);
  assert.deepEqual(await claimedIds(account.accountId), ids);
  await moveClock(database, 0);
});

test('a claim that goes back waits out a pause that doubles, and says whether its submit ever left', async () => {
  const account = await seedAccount(database, { limits: limitsOf(1) });
  await seedQueue(database, account, 1);
  const pauses: number[] = [];
  for (let i = 0; i < 6; i++) {
    const { claims } = await claimFor(account.accountId);
    const [claim] = claims;
    assert.ok(claim);
    assert.equal(claim.attempt, i + 1);
    assert.equal(claim.sentBefore, i === 5);
    const [released] = await releaseGenerations(database, [{ ...claim, unsent: i !== 4 }]);
    pauses.push(released?.wait_ms ?? 0);
    await database.rows('update accounts set dispatch_after = null where id = $1', [account.accountId]);
  }
  for (const [i, pause] of pauses.entries()) {
    const expected = Math.min(30_000, 1_000 * 2 ** i);
    assert.ok(pause >= expected * 0.7 && pause <= expected * 1.3, `pause ${i} is ${pause} ms`);
  }
});

test('a lease that ran out is taken over with the next attempt, and the old owner writes nothing any more', async () => {
  const account = await seedAccount(database, { limits: limitsOf(1) });
  const [id] = await seedQueue(database, account, 2);
  const { claims } = await claimFor(account.accountId, 'svc_dead');
  assert.deepEqual(await claimedIds(account.accountId, 'svc_heir'), []);
  await moveClock(database, 11);
  const heir = (await claimFor(account.accountId, 'svc_heir')).claims;
  assert.deepEqual(
    heir.map((claim) => [claim.id, claim.attempt, claim.sentBefore]),
    [[id, 2, true]],
  );
  const late = { ...running(id as string, account.accountId), attempt: claims[0]?.attempt as number };
  assert.deepEqual(await transitionGenerations(database, [late]), []);
  const back = { id: id as string, accountId: account.accountId, attempt: 1, unsent: true };
  assert.deepEqual(await releaseGenerations(database, [back]), []);
  assert.equal((await transitionGenerations(database, [{ ...late, attempt: 2 }])).length, 1);
  await moveClock(database, 0);
});

test('a renewed lease is not taken over', async () => {
  const account = await seedAccount(database, { limits: limitsOf(1) });
  const ids = await seedQueue(database, account, 1);
  await claimFor(account.accountId, 'svc_alive');
  await moveClock(database, 8);
  await renewLeases(database, { ids, owner: 'svc_alive', leaseMs: 10_000 });
  await moveClock(database, 14);
  assert.deepEqual(await claimedIds(account.accountId, 'svc_heir'), []);
  await moveClock(database, 0);
});

test('the reconciliation finds accounts with free slots, with unread limits and with dead leases, and no others', async () => {
  await database.rows('delete from accounts');
  const idle = await seedAccount(database, { limits: limitsOf(1) });
  const waiting = await seedAccount(database, { limits: limitsOf(1) });
  await seedQueue(database, waiting, 1_000);
  const full = await seedAccount(database, { limits: limitsOf(1) });
  await seedQueue(database, full, 3);
  await claimFor(full.accountId);
  const unread = await seedAccount(database);
  await seedQueue(database, unread, 1);
  const blocked = await seedAccount(database, { limits: limitsOf(1) });
  const ids = await seedQueue(database, blocked, 1);
  await database.rows('update generations set blocked = true where id = any ($1)', [ids]);
  const find = async () =>
    (await accountsToDispatch(database, { limitsMaxAgeMs: 60_000, atMost: 100 })).map(
      (row) => [row.account_id, row.has_capacity] as const,
    );
  assert.deepEqual(
    new Map(await find()),
    new Map([
      [waiting.accountId, true],
      [unread.accountId, false],
    ]),
  );
  await moveClock(database, 11);
  assert.deepEqual((await find()).length, 3);
  assert.ok(!(await find()).flat().includes(idle.accountId));
  await moveClock(database, 0);
});

test('a queue of a thousand does not keep the first of another account waiting', async () => {
  const greedy = await seedAccount(database, { limits: limitsOf(2) });
  await seedQueue(database, greedy, 1_000);
  const modest = await seedAccount(database, { limits: limitsOf(2) });
  const [first] = await seedQueue(database, modest, 1);
  const { claims } = await claimGenerations(database, {
    accountIds: [greedy.accountId, modest.accountId],
    owner: 'svc_one',
    leaseMs: 10_000,
    skipLocked: true,
    atMost: 1_000,
  });
  assert.equal(claims.filter((claim) => claim.accountId === greedy.accountId).length, 2);
  assert.ok(claims.some(({ id }) => id === first));
});

test('claims, cancels and settles race on one account without a deadlock or a slot too many', async () => {
  const account = await seedAccount(database, { limits: limitsOf(8) });
  const { accountId } = account;
  const counts = { claimed: 0, canceled: 0, settled: 0 };
  // A slow machine may take longer; the time limit of the test ends a race that makes no progress.
  const racing = () => Object.values(counts).some((count) => count <= 100);
  const claimer = async (owner: string) => {
    while (racing()) {
      const { claims } = await claimFor(accountId, owner);
      counts.claimed += claims.length;
      await transitionGenerations(
        database,
        claims.map(({ id, attempt }) => ({ ...running(id, accountId), attempt })),
      );
      const [row] = await database.rows<{ held: number }>(
        'select count(*)::int as held from generations where account_id = $1 and holds_slot',
        [accountId],
      );
      assert.ok((row?.held ?? 0) <= 8, `${row?.held} hold slots`);
    }
  };
  const feeder = async () => {
    while (racing()) await seedQueue(database, account, 16);
  };
  const pick = async (condition: string) =>
    database.rows<{ id: string }>(
      `select id from generations where account_id = $1 and ${condition} order by id desc limit 10`,
      [accountId],
    );
  const canceler = async () => {
    while (racing()) {
      const ids = await pick(`status = 'queued'`);
      const moves = ids.map(
        ({ id }) => ({ id, accountId, from: 'queued', to: 'canceled', untouched: true }) as const,
      );
      const canceled = await transitionGenerations(database, moves);
      counts.canceled += canceled.length;
    }
  };
  const settler = async () => {
    while (racing()) {
      const ids = await pick(`status = 'running'`);
      const settled = await transitionGenerations(
        database,
        ids.map(({ id }) => succeeded(id, accountId)),
      );
      counts.settled += settled.length;
    }
  };
  await Promise.all([
    claimer('svc_a'),
    claimer('svc_b'),
    feeder(),
    canceler(),
    canceler(),
    settler(),
    settler(),
  ]);
  const [state] = await database.rows<Record<string, number>>(
    `select a.uncharged_millicredits::int as uncharged, a.queued_image as queued,
            (select count(*)::int from generations where account_id = a.id and status = 'queued') as waiting,
            (select committed_millicredits::int from budget_days where key_id = $2) as committed,
            (select sum(cost_millicredits)::int from generations
              where account_id = a.id and status <> 'canceled') as cost,
            (select deadlocks::int from pg_stat_database where datname = current_database()) as deadlocks
       from accounts a where a.id = $1`,
    [accountId, account.keyId],
  );
  assert.equal(state?.['queued'], state?.['waiting']);
  assert.equal(state?.['uncharged'], (state?.['waiting'] ?? 0) * 4_000);
  assert.equal(state?.['committed'], state?.['cost']);
  assert.equal(state?.['deadlocks'], 0);
});

test('cancel takes what waits untouched, and nothing that was ever sent', async () => {
  const account = await seedAccount(database, { limits: limitsOf(1), budget: 8_000 });
  const { accountId } = account;
  const [sent, waits] = await seedQueue(database, account, 2);
  const cancel = (id: string) =>
    transitionGenerations(database, [{ id, accountId, from: 'queued', to: 'canceled', untouched: true }]);
  const { claims } = await claimFor(accountId);
  assert.equal(claims[0]?.id, sent);
  assert.equal((await cancel(sent as string)).length, 0);
  await releaseGenerations(database, [{ ...(claims[0] as (typeof claims)[0]), unsent: false }]);
  assert.equal((await cancel(sent as string)).length, 0, 'the studio may know it');
  assert.equal((await cancel(waits as string)).length, 1);
  assert.equal((await cancel(waits as string)).length, 0);
  assert.equal((await acceptOne(database, aCreate(account))).outcome, 'accepted', 'its budget is free again');
});
