import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Database, openDatabase } from '@renderkit/server-kit/db/database.ts';
import { createTestDatabase, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { seedAccount, type Seeded, seedQueue } from '../testing/seed.ts';
import { listRows } from './list-console-rows.ts';

/** More than the number that is searched directly before the index of words is used. */
const many = 2_020;

let db: TestDatabase;
let database: Database;
let large: Seeded;
let small: Seeded;
let lighthouse: string;
let seas: string[];
before(async () => {
  db = await createTestDatabase('service');
  // One connection, because the test reads what this connection scanned.
  database = openDatabase({ url: db.url, poolSize: 1, applicationName: 'test' });
  large = await seedAccount(database);
  small = await seedAccount(database);
  const asks = (prompt: string) => ({ renderRequest: JSON.stringify({ kind: 'image', prompt }) });
  [lighthouse = ''] = await seedQueue(database, large, 1, asks('a lighthouse'));
  seas = await seedQueue(database, large, many, asks('a calm sea'));
  await seedQueue(database, small, 3, asks('a calm sea at night'));
  await database.rows('analyze');
  // This table is small enough for a sequential scan; a large one is not.
  await database.rows('set enable_seqscan = off');
});
after(async () => {
  await database[Symbol.asyncDispose]();
  await db[Symbol.asyncDispose]();
});

async function search(
  owner: Seeded,
  words: string | undefined,
  page: { offset: number; limit: number; source?: string } = { offset: 0, limit: 20 },
) {
  const scans = async () => {
    await database.rows('select pg_stat_force_next_flush()');
    const [row] = await database.rows<{ scans: number }>(
      `select idx_scan as scans from pg_stat_user_indexes where indexrelname = 'generation_requests_words'`,
    );
    return Number(row?.scans);
  };
  const atFirst = await scans();
  const rows = await listRows(database, { accountId: owner.accountId, search: words, ...page });
  return { ids: rows.map(({ row }) => row.id), readsIndex: (await scans()) > atFirst };
}

test('the index of words, which is that of all accounts, is not read where the newest fill the page', async () => {
  const { ids, readsIndex } = await search(large, 'sea cal');
  assert.deepEqual([ids.length, readsIndex], [20, false]);
});

test('who has few is searched through without it, also for what is not there', async () => {
  const found = await search(small, 'night');
  assert.deepEqual([found.ids.length, found.readsIndex], [3, false]);
  assert.deepEqual(await search(small, 'lighthouse'), { ids: [], readsIndex: false });
});

test('what lies further back is found by it', async () => {
  assert.deepEqual(await search(large, 'light'), { ids: [lighthouse], readsIndex: true });
});

test('pages go on where the newest end', async () => {
  const found: string[] = [];
  for (let offset = 1_900; offset < 2_100; offset += 50)
    found.push(...(await search(large, 'calm', { offset, limit: 50 })).ids);
  assert.deepEqual([found.length, new Set(found).size], [many - 1_900, many - 1_900]);
  assert.ok(found.every((id) => seas.includes(id)));
});

test('each field that may name an item of the library is found by it', async () => {
  const named: Record<string, unknown> = {
    image: 'ast_image',
    mask: 'ast_mask',
    reference_images: ['ast_first', 'ast_reference'],
    start_image: 'ast_start',
    end_image: 'ast_end',
    source_video: 'ast_source',
    video_id: 'ast_video',
  };
  const owner = await seedAccount(database);
  for (const [field, value] of Object.entries(named)) {
    const request = { kind: 'video', prompt: 'a "mask" of image', [field]: value };
    const [id] = await seedQueue(database, owner, 1, { renderRequest: JSON.stringify(request) });
    const source = [value].flat().at(-1) as string;
    assert.deepEqual((await search(owner, undefined, { offset: 0, limit: 20, source })).ids, [id], field);
  }
});
