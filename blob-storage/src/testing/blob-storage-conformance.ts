import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { BlobMissing, type BlobStorage, withLocalFiles } from '../blob-storage.ts';

const folder = 'a1B2'.repeat(8);
const other = 'c3D4'.repeat(8);
const key = `${folder}/ast_1.png`;

/**
 * Tests that one blob storage does what the studio relies on. `open` returns an empty storage, which is closed with the
 * test.
 */
export function testConformance(name: string, open: () => Promise<BlobStorage & AsyncDisposable>): void {
  const check = (sentence: string, run: (storage: BlobStorage) => Promise<void>) => {
    void test(`${name}: ${sentence}`, async () => {
      await using storage = await open();
      await run(storage);
    });
  };
  check('a blob is read as it was put, whole and in ranges', putAndRead);
  check('a blob of many megabytes is written in pieces that are used again', putLarge);
  check('chunks that throw leave nothing behind', putBroken);
  check('a received file has no key until it is kept', receive);
  check('a blob is lent as a local file for as long as it is needed', lend);
  check('a folder is removed with all of its blobs, and no other', removeFolder);
  check('of several that claim it at one moment one is the owner, and what names it is no blob', claim);
  check('what is no key is found nowhere and never written', refuseKeys);
}

const text = async (storage: BlobStorage, range?: { start: number; end: number }) => {
  const blob = await storage.open(key);
  return blob && (await buffer(blob.read(range))).toString();
};

async function putAndRead(storage: BlobStorage): Promise<void> {
  assert.equal(await storage.open(key), undefined);
  assert.deepEqual(await storage.put(key, [Buffer.from('01234'), Buffer.from('56789')]), { sizeBytes: 10 });
  assert.equal((await storage.open(key))?.sizeBytes, 10);
  assert.equal(await text(storage), '0123456789');
  assert.equal(await text(storage, { start: 0, end: 0 }), '0');
  assert.equal(await text(storage, { start: 7, end: 9 }), '789');
  // A retry writes the same bytes once more.
  await storage.put(key, [Buffer.from('0123456789')]);
  assert.equal(await text(storage), '0123456789');
  await storage.put(`${other}/empty.png`, []);
  assert.equal((await storage.open(`${other}/empty.png`))?.sizeBytes, 0);
}

async function putLarge(storage: BlobStorage): Promise<void> {
  const pieces = 23;
  const pieceBytes = 300_001;
  const reused = Buffer.alloc(pieceBytes);
  async function* chunks() {
    for (let i = 0; i < pieces; i++) yield reused.fill(i);
  }
  assert.deepEqual(await storage.put(key, chunks()), { sizeBytes: pieces * pieceBytes });
  const blob = await storage.open(key);
  assert.ok(blob);
  const whole = await buffer(blob.read());
  for (let i = 0; i < pieces; i++)
    assert.ok(whole.subarray(i * pieceBytes, (i + 1) * pieceBytes).every((byte) => byte === i));
}

async function* broken() {
  yield Buffer.from('half');
  throw new Error('the sender is gone');
}

async function putBroken(storage: BlobStorage): Promise<void> {
  await assert.rejects(storage.put(key, broken()), /the sender is gone/);
  await assert.rejects(storage.receive(folder, broken()), /the sender is gone/);
  assert.equal(await storage.open(key), undefined);
  await storage.put(key, [Buffer.from('before')]);
  await assert.rejects(storage.put(key, broken()), /the sender is gone/);
  assert.equal(await text(storage), 'before');
}

async function receive(storage: BlobStorage): Promise<void> {
  {
    await using file = await storage.receive(folder, [Buffer.from('given'), Buffer.from(' up')]);
    assert.equal(file.sizeBytes, 8);
    assert.equal(await file.withLocalFile((path) => readFile(path, 'utf8')), 'given up');
  }
  assert.equal(await storage.open(key), undefined);
  {
    await using file = await storage.receive(folder, [Buffer.from('kept')]);
    await assert.rejects(file.keep('../ast_1.png'), TypeError);
    assert.equal(await file.keep('ast_1.png'), key);
  }
  assert.equal(await text(storage), 'kept');
}

async function lend(storage: BlobStorage): Promise<void> {
  const second = `${other}/upf_2.mp4`;
  await storage.put(key, [Buffer.from('one')]);
  await storage.put(second, [Buffer.from('two')]);
  const read = (path: string | undefined) => readFile(path ?? '', 'utf8');
  assert.equal(await storage.withLocalFile(key, read), 'one');
  assert.deepEqual(
    await withLocalFiles(storage, [key, second], (paths) =>
      Promise.all([read(paths.get(key)), read(paths.get(second))]),
    ),
    ['one', 'two'],
  );
  await assert.rejects(storage.withLocalFile(`${other}/none.png`, read), BlobMissing);
  const failure = new Error('the reader fails');
  await assert.rejects(
    storage.withLocalFile(key, () => Promise.reject(failure)),
    failure,
  );
  assert.equal(await text(storage), 'one');
}

async function removeFolder(storage: BlobStorage): Promise<void> {
  const thumbnail = `${folder}/thumb.webp`;
  const neighbour = `${other}/thumb.webp`;
  for (const one of [key, thumbnail, neighbour]) await storage.put(one, [Buffer.from(one)]);
  await storage.removeFolder(folder);
  await storage.removeFolder(folder);
  assert.deepEqual([await storage.open(key), await storage.open(thumbnail)], [undefined, undefined]);
  assert.ok(await storage.open(neighbour));
  // A removed folder may be filled again.
  await storage.put(key, [Buffer.from('again')]);
  assert.equal(await text(storage), 'again');
}

async function claim(storage: BlobStorage): Promise<void> {
  const owners = ['std_one', 'std_two', 'std_three'];
  await storage.put(key, [Buffer.from('a blob')]);
  const told = await Promise.all(owners.map((owner) => storage.claim(owner)));
  assert.ok(owners.includes(told[0] ?? ''));
  assert.equal(new Set(told).size, 1, told.join());
  assert.equal(await storage.claim('std_four'), told[0]);
  const listed = (await Array.fromAsync(storage.list())).flat().map((blob) => blob.key);
  assert.deepEqual(listed, [key]);
  assert.equal(await storage.removeUnfinished(new Date(Date.now() + 60_000)), 0);
  assert.equal(await storage.claim('std_four'), told[0]);
}

async function refuseKeys(storage: BlobStorage): Promise<void> {
  const wrong = ['', 'ast_1.png', `${folder}/`, `${folder}/../x.png`, `${folder}/.png`, `${folder}/a/b.png`];
  for (const one of wrong) {
    assert.equal(await storage.open(one), undefined, one);
    await assert.rejects(storage.put(one, []), TypeError, one);
    await assert.rejects(
      storage.withLocalFile(one, async () => undefined),
      BlobMissing,
      one,
    );
  }
  for (const one of ['', '..', folder.slice(1), `${folder}/`]) {
    await assert.rejects(storage.receive(one, []), TypeError, one);
    await assert.rejects(storage.removeFolder(one), TypeError, one);
  }
}
