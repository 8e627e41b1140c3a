import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { type Database, openDatabase } from '@renderkit/server-kit/db/database.ts';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { createTestDatabase, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { type ErasureCursors, eraseDeletedAccounts } from '@renderkit/studio/accounts/erase-account.ts';
import { clean } from '@renderkit/studio/clean.ts';
import { type BlobStorage, folderOf } from '@renderkit/blob-storage/blob-storage.ts';
import { openDiskBlobStorage } from '@renderkit/blob-storage/disk-blob-storage.ts';

const log = createLogger({ part: 'test', level: 'silent' });

type Scene = { db: TestDatabase; database: Database; storage: BlobStorage };

async function setScene(owners: AsyncDisposableStack): Promise<Scene> {
  const db = owners.use(await createTestDatabase('studio'));
  const directory = await mkdtemp(path.join(tmpdir(), 'erasure-test-'));
  owners.defer(() => rm(directory, { recursive: true, force: true }));
  return { db, database: db.database, storage: await openDiskBlobStorage(directory) };
}

/** Opens the same database with a shorter timeout. */
function impatient(owners: AsyncDisposableStack, { db }: Scene, statementTimeoutMs = 500): Database {
  return owners.use(openDatabase({ url: db.url, applicationName: 'impatient', statementTimeoutMs }));
}

async function addDeletedAccount({ database }: Scene, id: string, secondsAgo = 0): Promise<void> {
  await database.rows(
    `insert into accounts (id, tier, allowance_millicredits, refill_anchor, last_refill_at, next_refill_at, limit_image,
       limit_edit, limit_video, limit_overall, suspended, deleted_at)
     values ($1, 'free', 0, clock(), clock(), clock(), 1, 1, 1, 1, true, clock() - $2 * interval '1 second')`,
    [id, secondsAgo],
  );
}

async function addRenders({ database }: Scene, account: string, n: number): Promise<void> {
  await database.rows(
    `insert into renders (id, account_id, token, client_id, status, request, refusal)
     select $1 || '_rnd_' || n, $1, 'gen_' || n, 'renderkit-service', 'failed', '{"prompt":"private"}', '{"code":"private"}'
       from generate_series(1, $2) as n`,
    [account, n],
  );
}

const key = (name: string) => `${randomBytes(16).toString('hex')}/${name}`;

/**
 * Adds an account with five of everything stored for accounts, including a video with three frames, and with this many
 * renders.
 */
async function addLargeAccount(scene: Scene, account: string, renders = 5): Promise<void> {
  const { database, storage } = scene;
  await addDeletedAccount(scene, account);
  await addRenders(scene, account, renders);
  const put = async (name: string) => {
    const made = key(name);
    await storage.put(made, [Buffer.from('private')]);
    return made;
  };
  for (let i = 0; i < 5; i++) {
    await database.rows(
      `insert into assets (id, account_id, type, storage_key, content_type, size_bytes, prompt, created_at)
       values ($1, $2, 'video', $3, 'video/mp4', 7, 'private', clock() + $4 * interval '1 minute')`,
      [`${account}_ast_${i}`, account, await put('ast.mp4'), i],
    );
    await database.rows(
      `insert into uploads (id, account_id, token, type, status, hidden, file_name, storage_key, content_type, size_bytes,
         sha256, has_audio) values ($1, $2, $1, 'image', 'ready', false, 'private.png', $3, 'image/png', 7, '', false)`,
      [`${account}_upl_${i}`, account, await put('upf.png')],
    );
  }
  for (let i = 0; i < 3; i++)
    await database.rows(
      `insert into frames (video_id, time_ms, storage_key, width, height, size_bytes) values ($1, $2, $3, 1, 1, 7)`,
      [`${account}_ast_4`, i, await put('frm.png')],
    );
  for (const statement of [
    `insert into deleted_uploads (account_id, token) select $1, 'private_' || n`,
    `insert into styles (id, account_id, name, type) select $1 || n, $1, 'private', 'image'`,
    `insert into projects (id, account_id, title) select $1 || n, $1, 'private'`,
    `insert into changes (account_id, seq, type, token, render) select $1, n, 'render', 't', '"private"'`,
    `insert into audit_entries (id, account_id, actor, action) select $1 || n, $1, 'person', 'private'`,
  ])
    await database.rows(`${statement} from generate_series(1, 5) as n`, [account]);
}

const keysOf = async ({ storage }: Scene) =>
  (await Array.fromAsync(storage.list())).flat().map((blob) => blob.key);

/** Returns folders of blobs that no row names and no process will remove: nobody would ever find them again. */
async function lostFolders(scene: Scene): Promise<string[]> {
  const named = await scene.database.rows<{ folder: string }>(
    `select folder from loose_folders union select split_part(storage_key, '/', 1) from assets
     union select split_part(storage_key, '/', 1) from uploads union select split_part(storage_key, '/', 1) from frames`,
  );
  const known = new Set(named.map(({ folder }) => folder));
  return (await keysOf(scene)).map(folderOf).filter((folder) => !known.has(folder));
}

const isErased = async ({ database }: Scene, account: string) =>
  (await database.rows('select from accounts where id = $1 and erased_at is not null', [account])).length ===
  1;

const personal = [
  'assets',
  'frames',
  'uploads',
  'deleted_uploads',
  'styles',
  'projects',
  'changes',
  'audit_entries',
  'renders',
];

async function countOfPrivate({ database }: Scene): Promise<number> {
  const counts = await Promise.all(
    personal.map((table) =>
      database.execute(`select from ${table} t where t::text ~ 'private|^\\(acc_large'`),
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

async function eraseWithKill(renders: number): Promise<void> {
  await using owners = new AsyncDisposableStack();
  const scene = await setScene(owners);
  const { database, storage } = scene;
  await addLargeAccount(scene, 'acc_large', renders);
  assert.equal(await countOfPrivate(scene), 38 + renders);
  let cursors: ErasureCursors = new Map();
  let batches = 0;
  for (; !(await isErased(scene, 'acc_large')); batches++) {
    assert.ok(batches < 10);
    await eraseDeletedAccounts(database, cursors, { rows: 2, batches: 1 });
    // The process is killed after the second batch and loses its memory.
    if (batches === 1) cursors = new Map();
    assert.deepEqual(await lostFolders(scene), []);
  }
  assert.ok(batches > 3);
  // Renders stay, for the ledger, without their texts.
  assert.equal(await countOfPrivate(scene), renders);
  const texts = await database.rows('select from renders where request is not null or refusal is not null');
  assert.deepEqual([texts.length, cursors.size], [0, 0]);
  assert.equal(await eraseDeletedAccounts(database, cursors), false);
  assert.equal((await keysOf(scene)).length, 13);
  await clean({ database, storage, announce: () => undefined, log }, new AbortController().signal);
  assert.deepEqual(await keysOf(scene), []);
  assert.deepEqual(await database.rows('select from loose_folders'), []);
}

test('a large account is erased batch by batch, and a kill between any two loses sight of no file', async () => {
  await eraseWithKill(9);
  await eraseWithKill(1);
});

test('no statement of an erasure grows with the account', async () => {
  await using owners = new AsyncDisposableStack();
  const scene = await setScene(owners);
  await addDeletedAccount(scene, 'acc_huge');
  await addRenders(scene, 'acc_huge', 400);
  for (const statement of [
    // A row takes four milliseconds here: all rows of a kind exceed the statement timeout, a batch takes a fortieth of
    // that.
    `create function take_long() returns trigger language plpgsql as $$
       begin perform pg_sleep(0.004); return coalesce(new, old); end $$`,
    ...['assets', 'frames', 'uploads', 'changes', 'renders'].map(
      (table) =>
        `create trigger slow before update or delete on ${table} for each row execute function take_long()`,
    ),
    `insert into assets (id, account_id, type, storage_key, content_type, size_bytes)
       select 'ast_' || n, 'acc_huge', 'video', n || '/ast.mp4', 'video/mp4', 1 from generate_series(1, 400) as n`,
    `insert into frames (video_id, time_ms, storage_key, width, height, size_bytes)
       select 'ast_1', n, n || 'f/frm.png', 1, 1, 1 from generate_series(1, 400) as n`,
    `insert into uploads (id, account_id, token, type, status, hidden, file_name, storage_key, content_type, size_bytes,
       sha256, has_audio) select 'upf_' || n, 'acc_huge', n, 'image', 'ready', false, 'x', n || 'u/upf.png', 'image/png', 1, '',
       false from generate_series(1, 400) as n`,
    `insert into changes (account_id, seq, type, token) select 'acc_huge', n, 'render', 't'
       from generate_series(1, 400) as n`,
  ])
    await scene.database.rows(statement);
  const database = impatient(owners, scene, 1_500);
  const cursors: ErasureCursors = new Map();
  while (await eraseDeletedAccounts(database, cursors, { rows: 10 }));
  assert.ok(await isErased(scene, 'acc_huge'));
  assert.equal(await scene.database.execute('select from renders where request is not null'), 0);
  assert.equal(await scene.database.execute('select from loose_folders'), 1_200);
});

test('an account that cannot be erased now keeps no other from being erased', async () => {
  await using owners = new AsyncDisposableStack();
  const scene = await setScene(owners);
  await addDeletedAccount(scene, 'acc_stuck', 60);
  await addDeletedAccount(scene, 'acc_next');
  const database = impatient(owners, scene);
  await scene.database.transaction(async (transaction) => {
    await transaction.execute(`select from accounts where id = 'acc_stuck' for update`);
    await assert.rejects(eraseDeletedAccounts(database), /(?:lock|statement) timeout/);
  });
  assert.deepEqual([await isErased(scene, 'acc_stuck'), await isErased(scene, 'acc_next')], [false, true]);
  assert.equal(await eraseDeletedAccounts(database), false);
  assert.ok(await isErased(scene, 'acc_stuck'));
});

test('a folder that cannot be removed keeps no other, and nothing else that is cleaned up', async () => {
  await using owners = new AsyncDisposableStack();
  const scene = await setScene(owners);
  const { database, storage } = scene;
  await addLargeAccount(scene, 'acc_large');
  await database.rows(`insert into workers (id, beat_at) values ('silent', clock() - interval '1 day')`);
  const [stuck = ''] = await keysOf(scene);
  const removeFolder: BlobStorage['removeFolder'] = (folder) =>
    folder === folderOf(stuck)
      ? Promise.reject(new Error('it cannot be removed'))
      : storage.removeFolder(folder);
  const cleaning = clean(
    { database, storage: { ...storage, removeFolder }, announce: () => undefined, log },
    new AbortController().signal,
  );
  await assert.rejects(cleaning, /it cannot be removed/);
  assert.ok(await isErased(scene, 'acc_large'));
  assert.deepEqual(await keysOf(scene), [stuck]);
  assert.deepEqual(await lostFolders(scene), []);
  assert.deepEqual(await database.rows('select from workers'), []);
});
