import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { createTestDatabase, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { aCreate, seedAccount, type Seeded } from '../testing/seed.ts';
import { acceptGenerations } from './store.ts';

let db: TestDatabase;
let database: Database;
let account: Seeded;
before(async () => {
  db = await createTestDatabase('service');
  ({ database } = db);
  account = await seedAccount(database);
});
after(() => db[Symbol.asyncDispose]());

async function upload(status: string, { hidden = false, owner = account.accountId } = {}): Promise<string> {
  const id = newId('upl_');
  await database.rows(
    `insert into uploads (id, account_id, status, hidden, type, url, file_name, content_type, size_bytes,
                          processing_since)
     values ($1, $2, $3, $4, 'image', 'https://x', 'x', 'image/png', 1, clock())`,
    [id, owner, status, hidden],
  );
  return id;
}
const accept = async (...creates: ReturnType<typeof aCreate>[]) =>
  (await acceptGenerations(database, creates, 100)).map(({ outcome }) => outcome);
const isBlocked = async (id: string) =>
  (await database.rows<{ blocked: boolean }>('select blocked from generations where id = $1', [id]))[0]
    ?.blocked;
const links = async (id: string) =>
  (
    await database.rows<{ upload_id: string }>(
      'select upload_id from generation_uploads where generation_id = $1 order by upload_id',
      [id],
    )
  ).map((row) => row.upload_id);

test('what is not ready blocks, and each create of a group has its own', async () => {
  const [ready, processing, mask] = [
    await upload('ready'),
    await upload('processing'),
    await upload('ready', { hidden: true }),
  ];
  const none = aCreate(account);
  const free = aCreate(account, { uploads: [{ id: ready }] });
  const waits = aCreate(account, { uploads: [{ id: ready }, { id: processing }, { id: mask }] });
  const masked = aCreate(account, { uploads: [{ id: mask }] });
  assert.deepEqual(await accept(none, free, waits, masked), Array(4).fill('accepted'));
  assert.deepEqual(
    [
      await isBlocked(none.id),
      await isBlocked(free.id),
      await isBlocked(waits.id),
      await isBlocked(masked.id),
    ],
    [false, false, true, false],
  );
  assert.deepEqual(await links(free.id), [ready], 'it keeps what it names from being deleted');
  assert.deepEqual(await links(waits.id), [ready, processing, mask].toSorted());
  assert.deepEqual(await links(masked.id), [mask], 'what is there for it alone stays as long as it needs it');
});

test('an address becomes an upload with the generation, and with none that is refused', async () => {
  const id = newId('upl_');
  const taken = aCreate(account, { uploads: [{ id, url: 'https://example.org/x.png' }] });
  const gone = aCreate(account, {
    uploads: [{ id: newId('upl_') }, { id: newId('upl_'), url: 'https://example.org/y.png' }],
  });
  assert.deepEqual(await accept(gone, taken), ['upload_gone', 'accepted']);
  assert.deepEqual(
    await database.rows(`select id, account_id, hidden, source_url from uploads where status = 'coming'`),
    [{ id, account_id: account.accountId, hidden: true, source_url: 'https://example.org/x.png' }],
  );
  assert.equal(await isBlocked(taken.id), true);
});

test('what was rejected meanwhile, or is another account’s, is refused and commits nothing', async () => {
  const other = await seedAccount(database);
  const refused = [
    aCreate(account, { uploads: [{ id: await upload('rejected') }] }),
    aCreate(account, { uploads: [{ id: await upload('processing', { owner: other.accountId }) }] }),
  ];
  const [earlier] = await database.rows(
    'select uncharged_millicredits, queued_image from accounts where id = $1',
    [account.accountId],
  );
  assert.deepEqual(await accept(...refused), ['upload_gone', 'upload_gone']);
  const [now] = await database.rows(
    'select uncharged_millicredits, queued_image from accounts where id = $1',
    [account.accountId],
  );
  assert.deepEqual(now, earlier);
});
