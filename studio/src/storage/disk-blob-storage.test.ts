import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
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
