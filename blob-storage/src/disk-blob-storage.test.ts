import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { isStorageUnavailable } from '@renderkit/server-kit/files/file-errors.ts';
import { BlobMissing } from './blob-storage.ts';
import { mediaDirectory, openDiskBlobStorage } from './disk-blob-storage.ts';
import { testConformance } from './testing/blob-storage-conformance.ts';
import { listKeys } from './testing/list-keys.ts';

async function openEmpty() {
  const root = await mkdtemp(path.join(tmpdir(), 'blobs-'));
  const storage = await openDiskBlobStorage(root);
  return { ...storage, root, [Symbol.asyncDispose]: () => rm(root, { recursive: true }) };
}

testConformance('disk', openEmpty);

test('nothing but whole blobs lies on the disk, whatever went wrong', async () => {
  await using storage = await openEmpty();
  const folder = 'a1B2'.repeat(8);
  const broken = async function* () {
    yield Buffer.from('half');
    throw new Error('the sender is gone');
  };
  await assert.rejects(storage.put(`${folder}/ast_1.png`, broken()));
  await assert.rejects(storage.receive(folder, broken()));
  {
    await using file = await storage.receive(folder, [Buffer.from('given up')]);
    assert.equal(file.sizeBytes, 8);
  }
  await storage.put(`${folder}/ast_2.png`, [Buffer.from('whole')]);
  {
    await using _ = await storage.receive(folder, [Buffer.from('on its way')]);
    const listed = (await Array.fromAsync(storage.list())).flat().map(({ key }) => key);
    assert.deepEqual(listed, [`${folder}/ast_2.png`]);
    assert.equal((await listKeys(mediaDirectory(storage.root))).length, 2);
  }
  assert.deepEqual(await listKeys(mediaDirectory(storage.root)), [`${folder}/ast_2.png`]);
});

test('what a volume has of its own beside the media is not looked at', async () => {
  await using storage = await openEmpty();
  const key = `${'a1B2'.repeat(8)}/ast_1.png`;
  await storage.put(key, [Buffer.from('there')]);
  // Simulates a folder that we may not read; this error occurs for root too.
  await symlink('lost+found', path.join(mediaDirectory(storage.root), 'lost+found'));
  const listed = (await Array.fromAsync(storage.list())).flat().map((blob) => blob.key);
  assert.deepEqual(listed, [key]);
});

test('a file that cannot be looked at is not taken for one that is gone', async () => {
  await using storage = await openEmpty();
  const key = `${'a1B2'.repeat(8)}/ast_1.png`;
  await storage.put(key, [Buffer.from('there')]);
  const shard = path.join(mediaDirectory(storage.root), 'a1');
  const aside = path.join(storage.root, 'aside');
  await rename(shard, aside);
  // Simulates a file system that fails; this error occurs for root too.
  await symlink('a1', shard);
  const use = () => Promise.resolve();
  await assert.rejects(storage.open(key), isStorageUnavailable);
  await assert.rejects(storage.withLocalFile(key, use), isStorageUnavailable);
  await rm(shard);
  await assert.rejects(storage.withLocalFile(key, use), BlobMissing);
  await rename(aside, shard);
  assert.equal((await storage.open(key))?.sizeBytes, 5);
});

test('no file is taken for gone while the volume of all is not mounted', async () => {
  await using storage = await openEmpty();
  const key = `${'a1B2'.repeat(8)}/ast_1.png`;
  const media = mediaDirectory(storage.root);
  await storage.put(key, [Buffer.from('there')]);
  await storage.claim('std_one');
  assert.equal(await storage.open(key.replace('ast_1', 'ast_2')), undefined);
  const aside = path.join(storage.root, 'aside');
  await rename(media, aside);
  await mkdir(media);
  await assert.rejects(storage.open(key), isStorageUnavailable);
  await assert.rejects(storage.check(), isStorageUnavailable);
  await rm(media, { recursive: true });
  await rename(aside, media);
  assert.equal((await storage.open(key))?.sizeBytes, 5);
  await storage.check();
});
