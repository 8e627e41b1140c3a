import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { embedXmp } from './embed-xmp.ts';

async function embedded(file: Uint8Array, pieceBytes: number): Promise<Buffer> {
  async function* pieces() {
    for (let at = 0; at < file.length; at += pieceBytes) yield file.subarray(at, at + pieceBytes);
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of embedXmp(pieces(), 'a packet: ü')) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const pieceSizes = [1, 7, 33, 34, 1_000];
const tinyPng = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
);

/** Builds an MP4 box. Its size is stored in 32 bits, in 64 bits, or as 0, which means "to the end of the file". */
function box(type: string, bytes: number, size: 'short' | 'long' | 'open' = 'short'): Buffer {
  const header = Buffer.alloc(size === 'long' ? 16 : 8);
  header.write(type, 4, 'latin1');
  header.writeUInt32BE(size === 'short' ? 8 + bytes : size === 'long' ? 1 : 0);
  if (size === 'long') header.writeBigUInt64BE(BigInt(16 + bytes), 8);
  return Buffer.concat([header, Buffer.alloc(bytes, 7)]);
}

test('a PNG gets a text behind its header and keeps every other byte, however it comes', async () => {
  for (const size of pieceSizes) {
    const file = await embedded(tinyPng, size);
    const length = file.readUInt32BE(33);
    const chunk = file.subarray(37, 41 + length);
    assert.equal(chunk.toString(), 'iTXtXML:com.adobe.xmp\0\0\0\0\0a packet: ü');
    assert.equal(file.readUInt32BE(41 + length), crc32(chunk));
    const rest = Buffer.concat([file.subarray(0, 33), file.subarray(45 + length)]);
    assert.deepEqual(rest, tinyPng, `in pieces of ${size}`);
  }
});

test('an MP4 gets a box behind its last one', async () => {
  const file = Buffer.concat([box('ftyp', 16), box('moov', 90), box('mdat', 300, 'long'), box('free', 0)]);
  for (const size of pieceSizes) {
    const longer = await embedded(file, size);
    assert.deepEqual(longer.subarray(0, file.length), file);
    const added = longer.subarray(file.length);
    assert.equal(added.readUInt32BE(0), added.length);
    assert.equal(added.toString('latin1', 4, 8), 'uuid');
    assert.equal(added.subarray(8, 24).toString('hex'), 'be7acfcb97a942e89c71999491e3afac');
    assert.equal(added.toString('utf8', 24), 'a packet: ü');
  }
});

test('what nothing can be put into passes as it is', async () => {
  for (const file of [
    Buffer.alloc(0),
    Buffer.from('short'),
    Buffer.alloc(500, 'GIF89a'),
    tinyPng.subarray(0, 20),
    Buffer.concat([box('ftyp', 16), box('mdat', 300, 'open')]),
    Buffer.concat([box('ftyp', 16), box('mdat', 300)]).subarray(0, 200),
    Buffer.concat([box('ftyp', 40), Buffer.from([0, 0, 0, 3]), Buffer.from('bad!')]),
  ])
    for (const size of pieceSizes) assert.deepEqual(await embedded(file, size), file);
});
