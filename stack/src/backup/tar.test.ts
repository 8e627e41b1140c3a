import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { BrokenArchive, padding, readTar, tarEnd, tarHeader } from './tar.ts';

const run = promisify(execFile);
const long = `media/${'a'.repeat(60)}/${'b'.repeat(60)}.png`;
const files = { 'manifest.json': '{}\n', empty: '', [long]: 'x'.repeat(1500) };

function archive(): Buffer {
  const entries = Object.entries(files).flatMap(([name, content]) => [
    tarHeader({ name, size: content.length, mode: 0o600 }),
    Buffer.from(content),
    padding(content.length),
  ]);
  return Buffer.concat([tarHeader({ name: 'data/', size: 0, mode: 0o700 }), ...entries, tarEnd]);
}

async function* inPieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function readAll(source: AsyncIterable<Buffer>): Promise<Record<string, string>> {
  const read: Record<string, string> = {};
  for await (const entry of readTar(source))
    read[entry.name] = Buffer.concat(await Array.fromAsync(entry.content)).toString();
  return read;
}

test('what is written is read again, however the bytes arrive', async () => {
  for (const size of [1, 511, 512, 100_000])
    assert.deepEqual(await readAll(inPieces(archive(), size)), { 'data/': '', ...files });
});

test('the tar of this machine reads it too', { skip: process.platform === 'win32' }, async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'renderkit-tar-'));
  const file = path.join(directory, 'backup.tar');
  await writeFile(file, archive());
  const { stdout } = await run('tar', ['-tf', file]);
  assert.deepEqual(stdout.trim().split('\n'), ['data/', ...Object.keys(files)]);
  await rm(directory, { recursive: true });
});

test('an archive that is cut off or damaged is refused', async () => {
  const bytes = archive();
  await assert.rejects(readAll(inPieces(bytes.subarray(0, 2000), 512)), BrokenArchive);
  bytes[515] = 0xff;
  await assert.rejects(readAll(inPieces(bytes, 512)), BrokenArchive);
});
