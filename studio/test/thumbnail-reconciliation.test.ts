import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { moveClock } from '@renderkit/server-kit/testing/database.ts';
import { addVersion, type ModelFiles, withCatalog } from '@renderkit/studio/catalog/publish.ts';
import { keepThumbnail } from '@renderkit/studio/catalog/thumbnails.ts';
import { folderOf } from '@renderkit/blob-storage/blob-storage.ts';
import { checkMedia } from '@renderkit/studio/storage/check-media.ts';
import { type MediaStore, openMedia } from '@renderkit/studio/storage/open-media.ts';
import { openStorage } from '@renderkit/blob-storage/open-storage.ts';
import { reconcileMedia } from '@renderkit/studio/storage/reconcile-media.ts';
import { startTestStudio, type TestStudio } from './harness.ts';
import { ownModel } from './own-model.ts';

// A thumbnail's folder depends on its content, so the thumbnail may exist long before a version names it.

const log = createLogger({ part: 'test', level: 'silent' });
let studio: TestStudio;
let media: MediaStore;
before(async () => {
  studio = await startTestStudio({ worker: false });
  media = await openMedia(studio.database, studio.mediaLocation);
});
after(async () => studio[Symbol.asyncDispose]());

const add = (model: ModelFiles) =>
  withCatalog(studio.database, (transaction) => addVersion(transaction, model, 'operator'));
/**
 * Reconciles with a grace of 0, so that all unnamed files are old enough. The studio's own rounds have a longer grace,
 * since they would otherwise remove files that are being stored.
 */
async function reconcile(): Promise<void> {
  await studio.clean();
  await using storage = await openStorage(studio.mediaLocation);
  const { database } = studio;
  await reconcileMedia({ database, storage, log }, 0);
}
async function isThere({ thumbnailKey = '' }: ModelFiles): Promise<boolean> {
  await using storage = await openStorage(studio.mediaLocation);
  return (await storage.open(thumbnailKey)) !== undefined;
}
const loose = () => studio.database.rows<{ folder: string }>('select folder from loose_folders');

test('a thumbnail that a new version is about to name is not removed, however long it has been there', async () => {
  const model = await keepThumbnail(await ownModel('kept', '#102030'), media);
  // The state after an add that was refused.
  await studio.database.rows('delete from loose_folders');
  const again = await keepThumbnail(await ownModel('kept', '#102030'), media);
  assert.equal(again.thumbnailKey, model.thumbnailKey);
  await reconcile();
  await add(again);
  assert.ok(await isThere(again));
  assert.deepEqual(await loose(), []);
  await reconcile();
  assert.deepEqual((await checkMedia(studio.database, media.storage)).rows_without_bytes, []);
});

test('a thumbnail that is being removed is waited for and stored anew', async () => {
  const model = await ownModel('anew', '#405060');
  const folder = folderOf((await keepThumbnail(model, media)).thumbnailKey ?? '');
  await studio.database.rows('update loose_folders set removing = true where folder = $1', [folder]);
  const coming = keepThumbnail(model, media);
  await media.storage.removeFolder(folder);
  await studio.database.rows('delete from loose_folders where folder = $1', [folder]);
  const kept = await coming;
  assert.ok(await isThere(kept));
  await add(kept);
});

test('what was stored for a version that never came goes after an hour, unless another names it', async () => {
  const shared = await keepThumbnail(await ownModel('shared', '#708090'), media);
  await add(shared);
  await keepThumbnail(await ownModel('never', '#708090'), media);
  const alone = await keepThumbnail(await ownModel('never', '#a0b0c0'), media);
  await moveClock(studio.database, 2 * 60 * 60);
  await studio.clean();
  assert.deepEqual([await isThere(shared), await isThere(alone)], [true, false]);
  assert.deepEqual(await loose(), []);
});

test('one that a version names is not announced again by what keeps it once more', async () => {
  const model = await keepThumbnail(await ownModel('again', '#405060'), media);
  await add(model);
  const again = await keepThumbnail(await ownModel('again', '#405060'), media);
  assert.equal((await add(again)).added, false);
  const folder = folderOf(again.thumbnailKey ?? '');
  assert.equal(
    (await loose()).some((row) => row.folder === folder),
    false,
  );
});
