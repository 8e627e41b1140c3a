import assert from 'node:assert/strict';
import { utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { StudioConfig } from '@renderkit/studio/config.ts';
import { addLibraryItem } from '@renderkit/studio/operator.ts';
import { folderOf } from '@renderkit/blob-storage/blob-storage.ts';
import { checkMedia } from '@renderkit/studio/storage/check-media.ts';
import { mediaDirectory } from '@renderkit/blob-storage/disk-blob-storage.ts';
import { openStorage } from '@renderkit/blob-storage/open-storage.ts';
import { startS3Counterpart } from '@renderkit/blob-storage/testing/s3-counterpart.ts';
import { startTestStudio, type TestStudio } from './harness.ts';
import { makeImage } from './media-files.ts';

const lostKey = `${'a1B2'.repeat(8)}/ast_1.png`;
const youngKey = `${'c3D4'.repeat(8)}/ast_2.png`;
const announcedKey = `${'e5F6'.repeat(8)}/ast_3.png`;
const threeDaysAgo = new Date(Date.now() - 3 * 24 * 60 * 60_000);

test('on a disk, what rows and bytes say of each other is told, and what nothing names goes in time', async () => {
  await using studio = await startTestStudio({ worker: false, config: { s3: undefined } });
  await checkAndReconcile(studio, {}, async (key) => {
    const { dataDirectory } = studio;
    await utimes(path.join(mediaDirectory(dataDirectory), key.slice(0, 2), key), threeDaysAgo, threeDaysAgo);
  });
});

test('in a bucket likewise', async () => {
  await using server = await startS3Counterpart();
  await using studio = await startTestStudio({ worker: false, config: { s3: server.config } });
  await checkAndReconcile(studio, { s3: server.config }, async (key) => {
    const object = server.objects.get(key);
    assert.ok(object);
    object.storedAt = threeDaysAgo;
  });
});

async function checkAndReconcile(
  studio: TestStudio,
  { s3 }: Pick<StudioConfig, 's3'>,
  age: (key: string) => Promise<void>,
): Promise<void> {
  const { database, dataDirectory } = studio;
  await using storage = await openStorage({ dataDirectory, s3 });
  const account = await studio.connect();
  const file = path.join(dataDirectory, 'image.jpg');
  await writeFile(file, await makeImage({ format: 'jpeg' }));
  const add = async () => addLibraryItem(database, { email: account.email, dataDirectory, s3, file });
  const [kept, gone] = [await add(), await add()];
  const keysOf = async (id: string) =>
    (
      await database.rows<{ keys: string[] }>(
        'select array[storage_key, thumb_key] as keys from assets where id = $1',
        [id],
      )
    )[0]?.keys ?? [];
  for (const key of [lostKey, youngKey, announcedKey]) await storage.put(key, [Buffer.from('bytes')]);
  for (const key of [lostKey, announcedKey, ...(await keysOf(kept.id))]) await age(key);
  await database.rows(
    `insert into loose_folders (folder, remove_after) values ($1, clock() + interval '1 hour')`,
    [folderOf(announcedKey)],
  );
  assert.deepEqual(await checkMedia(database, storage), {
    rows_without_bytes: [],
    bytes_without_rows: [lostKey],
    checked: 5,
  });
  // If the reconciliation removes files that are three minutes old, the check reports them too.
  const soon = { graceSeconds: 180, now: new Date(Date.now() + 200_000) };
  const young = (await checkMedia(database, storage, soon)).bytes_without_rows;
  assert.deepEqual(young.sort(), [lostKey, youngKey].sort());
  const missing = await keysOf(gone.id);
  await storage.removeFolder(folderOf(missing[0] ?? ''));
  const { rows_without_bytes } = await checkMedia(database, storage);
  assert.deepEqual(rows_without_bytes.sort(), missing.sort());

  await database.rows(
    `update settings set changed_at = clock() - interval '1 day' where name = 'media_swept'`,
  );
  await studio.clean();
  const there = async (key: string) => (await storage.open(key)) !== undefined;
  assert.deepEqual(await Promise.all([lostKey, youngKey, announcedKey].map(there)), [false, true, true]);
  for (const key of await keysOf(kept.id)) assert.ok(await there(key));
}
