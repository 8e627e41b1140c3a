import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { createTestDatabase, moveClock } from '@renderkit/server-kit/testing/database.ts';
import { readLoopProgress } from '@renderkit/server-kit/work/loop.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { startCleaning } from '@renderkit/studio/clean.ts';
import { type BlobStorage, folderOf } from '@renderkit/blob-storage/blob-storage.ts';
import { checkMedia } from '@renderkit/studio/storage/check-media.ts';
import { openDiskBlobStorage } from '@renderkit/blob-storage/disk-blob-storage.ts';
import { startMediaReconciliation, reconcileMedia } from '@renderkit/studio/storage/reconcile-media.ts';

const log = createLogger({ part: 'test', level: 'silent' });
const day = 24 * 60 * 60;

type Scene = { database: Database; storage: BlobStorage; log: typeof log };

async function setScene(owners: AsyncDisposableStack): Promise<Scene> {
  const { database } = owners.use(await createTestDatabase('studio'));
  const directory = await mkdtemp(path.join(tmpdir(), 'reconciliation-test-'));
  owners.defer(() => rm(directory, { recursive: true, force: true }));
  const storage = await openDiskBlobStorage(directory);
  await database.rows(
    `insert into accounts (id, tier, allowance_millicredits, refill_anchor, last_refill_at, next_refill_at, limit_image,
       limit_edit, limit_video, limit_overall)
     values ('acc_1', 'free', 0, clock(), clock(), clock() + interval '1 month', 1, 1, 1, 1)`,
  );
  return { database, storage, log };
}

const newKey = (name = 'ast.png') => `${randomBytes(16).toString('hex')}/${name}`;

async function put({ storage }: Scene, key = newKey()): Promise<string> {
  await storage.put(key, [Buffer.from('bytes')]);
  return key;
}

const insertAsset = `insert into assets (id, account_id, type, storage_key, thumb_key, content_type, size_bytes)
  values ($1, 'acc_1', 'image', $2, $3, 'image/png', 5)`;

const keysOf = async ({ storage }: Scene) =>
  (await Array.fromAsync(storage.list())).flat().map((blob) => blob.key);

test('a reconciliation keeps what anything names, and removes all else', async () => {
  await using owners = new AsyncDisposableStack();
  const scene = await setScene(owners);
  const { database } = scene;
  const [asset, thumb, frame, upload, rejected, announced, made, version, orphan] = await Promise.all(
    Array.from({ length: 9 }, () => put(scene)),
  );
  for (const [statement, ...values] of [
    [insertAsset, 'ast_1', asset, thumb],
    [
      `insert into frames (video_id, time_ms, storage_key, width, height, size_bytes) values ('ast_1', 0, $1, 1, 1, 1)`,
      frame,
    ],
    ...[
      [upload, 'ready'],
      [rejected, 'rejected'],
    ].map((row) => [
      `insert into uploads (id, account_id, token, type, status, hidden, file_name, storage_key, content_type, size_bytes,
         sha256, has_audio) values ($2, 'acc_1', $2, 'image', $2, false, 'x', $1, 'image/png', 1, '', false)`,
      ...row,
    ]),
    [
      `insert into loose_folders (folder, remove_after) values (split_part($1, '/', 1), clock() + interval '1 hour')`,
      announced,
    ],
    [
      `insert into renders (id, account_id, token, client_id, status) values ('rnd_1', 'acc_1', 't', 'c', 'running')`,
    ],
    [
      `insert into submissions (id, render_id, attempt, backend, model_id, version, route, first_output, outputs, state,
         lease_until, made)
       values (gen_random_uuid(), 'rnd_1', 0, 'b', 'm', 1, 0, 0, 1, 'done', clock(), jsonb_build_array(
         jsonb_build_object('storage_key', $1::text)))`,
      made,
    ],
    [`insert into models (id, newest_version) values ('m', 1)`],
    [
      `insert into model_versions (model_id, version, digest, manifest, source, thumbnail_key)
       values ('m', 1, '', '{}', 'file', $1)`,
      version,
    ],
  ] as [string, ...unknown[]][])
    await database.rows(statement, values);
  const tomorrow = new Date(Date.now() + day * 1_000);
  const check = await checkMedia(database, scene.storage, { now: tomorrow });
  assert.deepEqual(new Set(check.bytes_without_rows), new Set([rejected, orphan]));
  assert.deepEqual([check.rows_without_bytes, check.checked], [[], 7]);
  await reconcileMedia(scene, 0);
  assert.deepEqual(
    new Set(await keysOf(scene)),
    new Set([asset, thumb, frame, upload, announced, made, version]),
  );
});

test('a folder that is named while the names are read is kept', async () => {
  await using owners = new AsyncDisposableStack();
  const scene = await setScene(owners);
  const { database } = scene;
  const key = await put(scene);
  await database.rows('insert into loose_folders (folder, remove_after) values ($1, clock())', [
    folderOf(key),
  ]);
  let isNamed = false;
  // After one of the two tables was read, the name moves from one table to the other.
  const rows: Database['rows'] = async (text, ...more) => {
    const found = await database.rows(text, ...more);
    if (isNamed || !/from (?:loose_folders|assets)/.test(text)) return found as never;
    isNamed = true;
    await database.transaction(async (transaction) => {
      await transaction.rows('delete from loose_folders');
      await transaction.rows(insertAsset, ['ast_1', key, null]);
    });
    return found as never;
  };
  await reconcileMedia({ ...scene, database: { ...database, rows } }, 0);
  assert.ok(isNamed);
  assert.deepEqual(await keysOf(scene), [key]);
});

test('a row that goes while its file is looked for is not told as one without bytes', async () => {
  await using owners = new AsyncDisposableStack();
  const scene = await setScene(owners);
  const { database, storage } = scene;
  const [gone, missing] = [newKey(), newKey()];
  for (const [i, key] of [gone, missing].entries()) await database.rows(insertAsset, [`ast_${i}`, key, null]);
  const open: BlobStorage['open'] = async (key) => {
    await database.rows('delete from assets where storage_key = $1', [gone]);
    return storage.open(key);
  };
  const { rows_without_bytes } = await checkMedia(database, { ...storage, open });
  assert.deepEqual(rows_without_bytes, [missing]);
});

test('a reconciliation that fails is due at once, and one that was killed after half an hour', async () => {
  await using owners = new AsyncDisposableStack();
  const scene = await setScene(owners);
  const { database, storage } = scene;
  const listings: string[] = [];
  const listing = (name: string, then: () => Promise<void>): Scene => ({
    ...scene,
    storage: {
      ...storage,
      list: async function* () {
        listings.push(name);
        await then();
        yield [];
      },
    },
  });
  const reconcileAs = (name: string, then = () => Promise.resolve()) =>
    reconcileMedia(listing(name, then), 2 * day);
  await assert.rejects(
    reconcileAs('fails', () => Promise.reject(new Error('no listing'))),
    /no listing/,
  );
  const never = Promise.withResolvers<void>();
  const killed = reconcileAs('killed', () => never.promise);
  await until('the listing', () => listings.includes('killed'));
  await moveClock(database, 29 * 60);
  await reconcileAs('too early');
  await moveClock(database, 31 * 60);
  await reconcileAs('next');
  await moveClock(database, 31 * 60 + 5 * 60 * 60);
  await reconcileAs('not due');
  await moveClock(database, 31 * 60 + 7 * 60 * 60);
  await reconcileAs('due');
  assert.deepEqual(listings, ['fails', 'killed', 'next', 'due']);
  never.resolve();
  await killed;
});

test('a folder that cannot be removed ends no reconciliation', async () => {
  await using owners = new AsyncDisposableStack();
  const scene = await setScene(owners);
  const { storage } = scene;
  for (let i = 0; i < 5; i++) await put(scene);
  const [stuck = ''] = await keysOf(scene);
  const removeFolder: BlobStorage['removeFolder'] = (folder) =>
    folder === folderOf(stuck)
      ? Promise.reject(new Error('it cannot be removed'))
      : storage.removeFolder(folder);
  await reconcileMedia({ ...scene, storage: { ...storage, removeFolder } }, 0);
  assert.deepEqual(await keysOf(scene), [stuck]);
});

test('a reconciliation goes on through rounds that are shorter than it is', async () => {
  await using owners = new AsyncDisposableStack();
  const scene = await setScene(owners);
  for (let i = 0; i < 5; i++) await put(scene);
  let lists = 0;
  const list = () => (lists++, scene.storage.list());
  await using _ = startMediaReconciliation(
    { ...scene, storage: { ...scene.storage, list } },
    { graceSeconds: 0, roundMs: 0, everyMs: 3_600_000, log },
  );
  await until('the end of all media', async () => (await keysOf(scene)).length === 0);
  const { rounds = 0 } = readLoopProgress().find(({ name }) => name === 'media reconciliation') ?? {};
  assert.ok(rounds > 5);
  assert.equal(lists, 1);
});

test('whatever is cleaned up each minute does not wait for a reconciliation', async () => {
  await using owners = new AsyncDisposableStack();
  const scene = await setScene(owners);
  const { database, storage } = scene;
  await database.rows(`insert into workers (id, beat_at) values ('silent', clock() - interval '1 day')`);
  await database.rows(`update accounts set next_refill_at = clock() - interval '1 day' where id = 'acc_1'`);
  let isListing = false;
  const gate = Promise.withResolvers<void>();
  const list: BlobStorage['list'] = async function* () {
    isListing = true;
    await gate.promise;
    yield* storage.list();
  };
  await using _ = startCleaning({
    ...scene,
    storage: { ...storage, list },
    announce: () => undefined,
    mediaGraceSeconds: day,
  });
  using _gate = { [Symbol.dispose]: () => gate.resolve() };
  await until('the listing', () => isListing);
  await until(
    'the end of the dead worker',
    async () => (await database.rows('select from workers')).length === 0,
  );
  assert.equal(
    await database.execute('select from accounts where deleted_at is null and next_refill_at < clock()'),
    0,
  );
  await until('the end of the round', () =>
    readLoopProgress().some(({ name, rounds }) => name === 'clean' && rounds === 1),
  );
  assert.equal(readLoopProgress().find(({ name }) => name === 'media reconciliation')?.rounds, 0);
});
