import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '@renderkit/server-kit/ids.ts';
import { createTestDatabase, moveClock, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { exampleUpload } from '../../test/scripted-uploads.ts';
import { acceptGenerations } from '../generations/create/store.ts';
import { lockAccounts } from '../generations/settle/waiting-store.ts';
import { aCreate, limitsOf, seedAccount } from '../generations/testing/seed.ts';
import { endUploads } from './outcome-store.ts';
import { unusableEnd } from './record-outcomes.ts';
import { claimImports, type Import, postpone, recordStored } from './store.ts';

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase('service');
});
after(() => db[Symbol.asyncDispose]());

const leaseMs = 10_000;

/** Creates an import that one process claims, and a second process claims after that lease has expired. */
async function claimedTwice(owners: [string, string]): Promise<[Import, Import]> {
  const { database } = db;
  const account = await seedAccount(database, { limits: limitsOf(8) });
  const id = newId('upl_');
  const uploads = [{ id, url: 'https://example.org/x.png' }];
  await acceptGenerations(database, [aCreate(account, { uploads })], 1_000);
  const claim = async (owner: string) => {
    const claimed = await claimImports(database, { owner, leaseMs, atMost: 10, perAccount: 10 });
    const mine = claimed.find((one) => one.id === id);
    assert.ok(mine);
    return mine;
  };
  const first = await claim(owners[0]);
  await moveClock(database, 11);
  const second = await claim(owners[1]);
  await moveClock(database, 0);
  return [first, second];
}

const end = ({ account_id: accountId }: Import, ...ends: Parameters<typeof endUploads>[1]) =>
  db.database.transaction(async (transaction) => {
    await lockAccounts(transaction, [accountId]);
    return (await endUploads(transaction, ends)).length;
  });

for (const [who, owners] of [
  ['another process', ['svc_a', 'svc_b']],
  ['the same process', ['svc_a', 'svc_a']],
] as const)
  test(`a fetch that lost its lease to ${who} neither ends the upload nor lets go of it`, async () => {
    const { database } = db;
    const [first, second] = await claimedTwice([...owners]);
    assert.equal(await end(first, unusableEnd(first, owners[0], 'unprocessable')), 0);
    await postpone(database, { ...first, owner: owners[0], forMs: 0 });
    const stored = await recordStored(database, {
      owner: owners[1],
      upload: exampleUpload(second.id),
      from: 'coming',
      askAfterMs: 1_000,
    });
    assert.ok(stored, 'the lease is the second one');
    assert.equal(await end(second, unusableEnd(second, owners[1], 'unprocessable')), 0, 'it is stored');
    assert.equal(
      await end(first, { id: first.id, accountId: first.account_id, status: 'ready', error: null }),
      1,
    );
  });

test('a fetch that has its lease ends what it could not fetch', async () => {
  const [, second] = await claimedTwice(['svc_a', 'svc_b']);
  assert.equal(await end(second, unusableEnd(second, 'svc_b', 'unprocessable')), 1);
});
