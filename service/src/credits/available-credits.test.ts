import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { acceptGenerations } from '../generations/create/store.ts';
import { transitionGenerations } from '../generations/settle/transition-store.ts';
import { aCreate, seedAccount } from '../generations/testing/seed.ts';
import { availableCredits } from './available-credits.ts';

const balance = { monthly_millicredits: 6_000, lifetime_millicredits: 4_000 };

test('a charge is counted once, also while the answer to its submit is on its way', async () => {
  await using db = await createTestDatabase('service');
  const { database } = db;
  const account = await seedAccount(database);
  const create = aCreate(account);
  await acceptGenerations(database, [create], 1_000);
  const available = (ledgerSeq: number) =>
    availableCredits(database, account.accountId, { ...balance, ledger_seq: ledgerSeq });
  assert.deepEqual(await available(1), { monthly: 2_000, lifetime: 4_000, total: 6_000 });

  // The studio has charged 4,000 as entry 7, and the balance already includes it; our database does not.
  await database.rows(
    'update generations set submit_sent_at = clock(), holds_slot = true, attempt = 1 where id = $1',
    [create.id],
  );
  const asked = available(7);
  await sleep(30);
  await transitionGenerations(database, [
    { id: create.id, accountId: account.accountId, from: 'queued', to: 'running', chargeLedgerSeq: 7 },
  ]);
  assert.equal((await asked).total, 10_000);
  assert.equal((await available(6)).total, 6_000, 'an older balance does not hold the charge yet');
});
