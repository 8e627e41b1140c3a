import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { type ArchivedFile, zipArchive } from './zip-archive.ts';

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

const file = (name: string, ...texts: string[]): ArchivedFile => ({
  name,
  modifiedAt: new Date('2026-11-21T18:04:09Z'),
  bytes: pieces(...texts),
});

async function bytesOf(files: ArchivedFile[]): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of zipArchive(files)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Reads an archive from its end, as programs do. */
function contentsOf(archive: Buffer): Record<string, string> {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  const contents: Record<string, string> = {};
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    assert.equal(archive.readUInt32LE(at), 0x0201_4b50);
    const [crc, size] = [archive.readUInt32LE(at + 16), archive.readUInt32LE(at + 20)];
    const name = archive.subarray(at + 46, at + 46 + archive.readUInt16LE(at + 28));
    const local = archive.readUInt32LE(at + 42);
    const from = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const bytes = archive.subarray(from, from + size);
    assert.equal(crc32(bytes), crc, name.toString());
    assert.equal(archive.readUInt32LE(from + size + 4), crc, 'the checksum after the bytes');
    contents[name.toString()] = bytes.toString();
    at += 46 + name.length + archive.readUInt16LE(at + 30);
  }
  assert.equal(at, end);
  return contents;
}

test('an archive holds each file whole, in order, with its name in any language', async () => {
  const archive = await bytesOf([file('sea.txt', 'calm ', 'sea'), file('海/leer.txt'), file('z', 'last')]);
  assert.deepEqual(contentsOf(archive), { 'sea.txt': 'calm sea', '海/leer.txt': '', z: 'last' });
});

test('an archive of nothing is one too', async () => {
  assert.deepEqual(contentsOf(await bytesOf([])), {});
});

test('a file is asked for when its turn comes, and what breaks breaks the archive', async () => {
  const asked: string[] = [];
  async function* files(): AsyncGenerator<ArchivedFile> {
    for (const name of ['a', 'b']) {
      asked.push(name);
      yield file(name, name);
    }
    throw new Error('the source is gone');
  }
  const archive = zipArchive(files());
  await archive.next();
  assert.deepEqual(asked, ['a']);
  await assert.rejects(async () => {
    for await (const _ of archive);
  }, /the source is gone/);
});
