import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createTestDatabase, moveClock, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { transitionGenerations } from '../settle/transition-store.ts';
import { aCreate, acceptOne, seedAccount, seedKey, type Seeded } from '../testing/seed.ts';
import { Acceptor } from './accept.ts';
import { acceptGenerations, type Create, type Decision } from './store.ts';

let db: TestDatabase;
let database: Database;
before(async () => {
  db = await createTestDatabase('service');
  database = db.database;
});
after(async () => db[Symbol.asyncDispose]());

const credits = (lifetime: number, ledgerSeq = 1) => ({
  monthly_millicredits: 0,
  lifetime_millicredits: lifetime,
  ledger_seq: ledgerSeq,
});
const fingerprintOf = (digit: string) => digit.repeat(64);

async function accountRow(accountId: string) {
  const rows = await database.rows<{
    uncharged_millicredits: number;
    queued_image: number;
    balance_ledger_seq: number;
    balance_lifetime_millicredits: number;
  }>('select * from accounts where id = $1', [accountId]);
  return rows[0];
}

async function committed(keyId: string): Promise<number> {
  const rows = await database.rows<{ sum: number }>(
    'select coalesce(sum(committed_millicredits), 0)::bigint as sum from budget_days where key_id = $1',
    [keyId],
  );
  return rows[0]?.sum ?? 0;
}

function bodyOf(decision: Decision): { id: string; status: string; created_at: string } {
  assert.ok('body' in decision, decision.outcome);
  return JSON.parse(decision.body);
}

test('an accepted create is queued, reserved, and counted in the budget of its day', async () => {
  const account = await seedAccount(database);
  const create = aCreate(account);
  const body = bodyOf(await acceptOne(database, create));
  assert.equal(body.id, create.id);
  assert.equal(body.status, 'queued');
  const [row] = await database.rows(
    `select g.status, to_char(g.created_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, r.render_request, r.accepted_body
       from generations g join generation_requests r on r.generation_id = g.id where g.id = $1`,
    [create.id],
  );
  assert.deepEqual(row, {
    status: 'queued',
    at: body.created_at,
    render_request: create.renderRequest,
    accepted_body: null,
  });
  const state = await accountRow(account.accountId);
  assert.equal(state?.uncharged_millicredits, 4_000);
  assert.equal(state?.queued_image, 1);
  assert.equal(await committed(account.keyId), 4_000);
});

test('the same Idempotency-Key and request gets the same text, another request a conflict, another account its own', async () => {
  const account = await seedAccount(database);
  const keyed = (changes: Partial<Create>) => aCreate(account, { idempotencyKey: 'one', ...changes });
  const first = await acceptOne(database, keyed({ fingerprint: fingerprintOf('a') }));
  const again = await acceptOne(database, keyed({ fingerprint: fingerprintOf('a') }));
  assert.equal(first.outcome, 'accepted');
  assert.deepEqual(again, { ...first, outcome: 'replay' });
  assert.equal((await acceptOne(database, keyed({ fingerprint: fingerprintOf('b') }))).outcome, 'conflict');
  const other = await seedAccount(database);
  const theirs = aCreate(other, { idempotencyKey: 'one', fingerprint: fingerprintOf('a') });
  assert.equal(bodyOf(await acceptOne(database, theirs)).id, theirs.id);
  assert.equal((await accountRow(account.accountId))?.queued_image, 1);
});

test('a replay needs neither credits nor budget nor capacity in the queue', async () => {
  const account = await seedAccount(database, { budget: 4_000 });
  const keyed = aCreate(account, {
    idempotencyKey: 'k',
    fingerprint: fingerprintOf('a'),
    balance: credits(4_000),
  });
  assert.equal((await acceptOne(database, keyed, 1)).outcome, 'accepted');
  const again = aCreate(account, {
    idempotencyKey: 'k',
    fingerprint: fingerprintOf('a'),
    balance: credits(0, 2),
  });
  assert.equal((await acceptOne(database, again, 1)).outcome, 'replay');
});

test('the budget is refused before credits, and credits before a full queue', async () => {
  const poor = await seedAccount(database, { budget: 3_999 });
  const decision = await acceptOne(database, aCreate(poor, { balance: credits(0) }), 0);
  assert.deepEqual(decision, { outcome: 'budget_exceeded', amount: 3_999 });
  const richer = await seedAccount(database, { budget: 4_000 });
  const short = await acceptOne(database, aCreate(richer, { balance: credits(3_999) }), 0);
  assert.deepEqual(short, { outcome: 'insufficient_credits', amount: 3_999 });
  const full = await acceptOne(database, aCreate(richer, { balance: credits(4_000, 2) }), 0);
  assert.equal(full.outcome, 'queue_full');
  assert.equal(await committed(richer.keyId), 0);
});

test('a budget of 0 lets nothing through and none at all lets everything through', async () => {
  const nothing = await seedAccount(database, { budget: 0 });
  assert.equal((await acceptOne(database, aCreate(nothing))).outcome, 'budget_exceeded');
  const free = await acceptOne(database, aCreate(nothing, { costMillicredits: 0 }));
  assert.equal(free.outcome, 'accepted');
});

test('within one group each create is decided after those before it', async () => {
  const account = await seedAccount(database);
  const tight = { ...account, keyId: await seedKey(database, account.accountId, 8_000) };
  const balance = credits(16_000);
  const creates = [tight, tight, tight, account, account, account].map((who) => aCreate(who, { balance }));
  const decisions = await acceptGenerations(database, creates, 1_000);
  assert.deepEqual(
    decisions.map(({ outcome }) => outcome),
    ['accepted', 'accepted', 'budget_exceeded', 'accepted', 'accepted', 'insufficient_credits'],
  );
  assert.equal((await accountRow(account.accountId))?.uncharged_millicredits, 16_000);
});

test('a group may hold several accounts, each with its own money', async () => {
  const accounts = await Promise.all([1, 2, 3].map(() => seedAccount(database)));
  const creates = accounts.flatMap((who) => [1, 2].map(() => aCreate(who, { balance: credits(7_000) })));
  const decisions = await acceptGenerations(database, creates, 1_000);
  assert.deepEqual(
    decisions.map(({ outcome }) => outcome),
    accounts.flatMap(() => ['accepted', 'insufficient_credits']),
  );
});

test('of two balances the one with the later ledger entry holds', async () => {
  const account = await seedAccount(database);
  assert.equal(
    (await acceptOne(database, aCreate(account, { balance: credits(8_000, 10) }))).outcome,
    'accepted',
  );
  const older = await acceptOne(database, aCreate(account, { balance: credits(100_000, 9) }));
  assert.equal(older.outcome, 'accepted');
  assert.equal((await accountRow(account.accountId))?.balance_ledger_seq, 10);
  const third = await acceptOne(database, aCreate(account, { balance: credits(100_000, 9) }));
  assert.equal(third.outcome, 'insufficient_credits');
});

test('a charge later than the balance still counts, an earlier one does not', async () => {
  const account = await seedAccount(database);
  const first = aCreate(account, { balance: credits(8_000, 10) });
  await acceptOne(database, first);
  const run = { id: first.id, accountId: account.accountId, from: 'queued', to: 'running' } as const;
  await transitionGenerations(database, [{ ...run, chargeLedgerSeq: 11 }]);
  assert.equal((await accountRow(account.accountId))?.uncharged_millicredits, 0);
  const old = await acceptOne(
    database,
    aCreate(account, { costMillicredits: 5_000, balance: credits(8_000, 10) }),
  );
  assert.equal(old.outcome, 'insufficient_credits');
  const known = await acceptOne(database, aCreate(account, { balance: credits(4_000, 11) }));
  assert.equal(known.outcome, 'accepted');
});

test('while a submit is unconfirmed credits are short, and missing once that is resolved', async () => {
  const account = await seedAccount(database);
  const first = aCreate(account, { balance: credits(8_000, 10) });
  await acceptOne(database, first);
  await database.rows(
    'update generations set submit_sent_at = clock(), holds_slot = true, attempt = 1 where id = $1',
    [first.id],
  );
  // The studio has already charged the first create: 4,000 are left.
  const second = aCreate(account, { balance: credits(4_000, 11) });
  assert.equal((await acceptOne(database, second)).outcome, 'short');
  assert.equal(
    (await acceptOne(database, { ...second, unconfirmedResolved: true })).outcome,
    'insufficient_credits',
  );

  let asked = 0;
  const acceptor = new Acceptor({
    database,
    queueCap: 1_000,
    resolveUnconfirmed: async (accountId) => {
      asked++;
      const run = { id: first.id, accountId, from: 'queued', to: 'running' } as const;
      await transitionGenerations(database, [{ ...run, chargeLedgerSeq: 11 }]);
    },
  });
  const accepted = await acceptor.accept(second);
  assert.equal(asked, 1);
  assert.equal(JSON.parse(accepted.body).id, second.id);
});

test('a key revoked or expired since its request came in, and an account that is gone, are refused', async () => {
  const account = await seedAccount(database);
  await database.rows('update api_keys set revoked_at = clock() where id = $1', [account.keyId]);
  assert.equal((await acceptOne(database, aCreate(account))).outcome, 'unauthorized');
  const expired = await seedAccount(database);
  await database.rows(`update api_keys set expires_at = clock() - interval '1 second' where id = $1`, [
    expired.keyId,
  ]);
  assert.equal((await acceptOne(database, aCreate(expired))).outcome, 'unauthorized');
  const gone = await seedAccount(database);
  await database.rows('update accounts set deleted_at = clock() where id = $1', [gone.accountId]);
  assert.equal((await acceptOne(database, aCreate(gone))).outcome, 'unauthorized');
});

function newAcceptor() {
  return new Acceptor({ database, queueCap: 1_000, resolveUnconfirmed: async () => undefined });
}

test('200 creates at once against a budget of seven: seven are accepted, over two processes', async () => {
  const account = await seedAccount(database, { budget: 7 * 4_000 });
  const processes = [newAcceptor(), newAcceptor()];
  const results = await Promise.allSettled(
    Array.from({ length: 200 }, async (_, i) => processes[i % 2]?.accept(aCreate(account))),
  );
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 7);
  const codes = results.map((result) => (result.status === 'rejected' ? result.reason.code : 'ok'));
  assert.equal(codes.filter((code) => code === 'budget_exceeded').length, 193);
  assert.equal(await committed(account.keyId), 28_000);
});

test('100 creates at once with one Idempotency-Key make one generation and 100 equal texts', async () => {
  const account = await seedAccount(database);
  const processes = [newAcceptor(), newAcceptor()];
  const keyed = () => aCreate(account, { idempotencyKey: 'storm', fingerprint: fingerprintOf('c') });
  const bodies = await Promise.all(
    Array.from({ length: 100 }, async (_, i) => (await processes[i % 2]?.accept(keyed()))?.body),
  );
  assert.equal(new Set(bodies).size, 1);
  assert.equal((await accountRow(account.accountId))?.queued_image, 1);
});

test('creates of many accounts in shuffled groups from two processes do not deadlock', async () => {
  const accounts: Seeded[] = [];
  for (let i = 0; i < 20; i++) accounts.push(await seedAccount(database));
  const processes = [newAcceptor(), newAcceptor()];
  const creates = Array.from({ length: 600 }, (_, i) => aCreate(accounts[(i * 7) % 20] as Seeded));
  creates.sort(() => Math.random() - 0.5);
  await Promise.all(creates.map(async (create, i) => processes[i % 2]?.accept(create)));
  const [row] = await database.rows<{ deadlocks: number }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  assert.equal(row?.deadlocks, 0);
});

test('a poisoned create fails alone', async () => {
  const account = await seedAccount(database);
  const acceptor = newAcceptor();
  const creates = [1, 2, 3].map((i) => aCreate(account, i === 2 ? { kind: 'poison' as 'image' } : {}));
  const results = await Promise.allSettled(creates.map((create) => acceptor.accept(create)));
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});

test('at midnight each create counts in the day in which it was made, and frees that day', async () => {
  const account = await seedAccount(database, { budget: 4_000 });
  const [clock] = await database.rows<{ left: number }>(
    `select extract(epoch from date_trunc('day', clock()) + interval '1 day' - clock())::float8 as left`,
  );
  const toMidnight = clock?.left ?? 0;
  await moveClock(database, toMidnight - 30);
  const evening = aCreate(account);
  assert.equal((await acceptOne(database, evening)).outcome, 'accepted');
  assert.equal((await acceptOne(database, aCreate(account))).outcome, 'budget_exceeded');
  await moveClock(database, toMidnight + 30);
  assert.equal((await acceptOne(database, aCreate(account))).outcome, 'accepted');
  const fail = { id: evening.id, accountId: account.accountId, from: 'queued', to: 'failed' } as const;
  await transitionGenerations(database, [fail]);
  const days = await database.rows<{ committed_millicredits: number }>(
    'select committed_millicredits from budget_days where key_id = $1 order by day',
    [account.keyId],
  );
  assert.deepEqual(
    days.map((day) => day.committed_millicredits),
    [0, 4_000],
  );
  await moveClock(database, 0);
});
