import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { isMediaUnavailable } from '@renderkit/server-kit/files/file-errors.ts';
import { testConformance } from '../testing/blob-storage-conformance.ts';
import { openEmptyBucket } from '../testing/open-empty-bucket.ts';
import type { S3Fault } from '../testing/s3-counterpart.ts';
import { openS3Client } from './s3-client.ts';
import { readObject } from './s3-downloads.ts';

const folder = 'a1B2'.repeat(8);
const key = `${folder}/ast_1.mp4`;
/** Large enough for two parts. */
const large = Buffer.alloc(9 * 1024 * 1024, 'many bytes ');

testConformance('S3', openEmptyBucket);

async function* chunksOf(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
}

const passing: readonly S3Fault[] = ['unavailable', 'slow_down', 'cut'];

test('what passes is tried again: a refused, cut or slowed request of any kind', async () => {
  await using storage = await openEmptyBucket();
  const { server } = storage;
  server.fail(passing);
  await storage.put(key, [Buffer.from('small')]);
  server.fail(['refused_digest', 'lost_answer'], ({ method }) => method === 'PUT');
  await storage.put(key, chunksOf(large));
  assert.ok(server.objects.get(key)?.bytes.equals(large));
  server.fail(passing);
  assert.equal((await storage.open(key))?.sizeBytes, large.length);
  server.fail(passing);
  await storage.removeFolder(folder);
  assert.equal(server.objects.size, 0);
});

test('an upload whose last answer was lost is complete', async () => {
  await using storage = await openEmptyBucket();
  storage.server.fail(['lost_answer'], ({ method, query }) => method === 'POST' && query.has('uploadId'));
  await storage.put(key, chunksOf(large));
  assert.ok(storage.server.objects.get(key)?.bytes.equals(large));
  assert.equal(storage.server.uploads.size, 0);
});

test('a stream that is cut goes on where it was', async () => {
  await using storage = await openEmptyBucket();
  await storage.put(key, chunksOf(large));
  const blob = await storage.open(key);
  storage.server.fail(['cut', 'cut', 'unavailable', 'cut']);
  assert.ok((await buffer(blob!.read())).equals(large));
  storage.server.fail(['cut']);
  assert.ok((await buffer(blob!.read({ start: 5, end: 9_000_000 }))).equals(large.subarray(5, 9_000_001)));
});

test('readers that pause hold no connection, and go on where they were', async () => {
  await using storage = await openEmptyBucket();
  await using client = openS3Client(storage.server.config, [1]);
  await storage.put(key, chunksOf(large));
  // More than the connections for readers.
  const streams = Array.from({ length: 70 }, () =>
    readObject(client, key, { start: 0, end: large.length - 1 }, 20),
  );
  const begun = await Promise.all(
    streams.map(async (stream) => {
      await once(stream, 'readable');
      return stream.read(10) as Buffer;
    }),
  );
  assert.ok(begun.every((bytes) => bytes.equals(large.subarray(0, 10))));
  const [first, ...rest] = streams;
  for (const stream of rest) stream.destroy();
  assert.ok((await buffer(first!)).equals(large.subarray(10)));
});

test('an object is not taken for gone where its bucket is', async () => {
  await using storage = await openEmptyBucket();
  await storage.put(key, [Buffer.from('here')]);
  storage.server.fail(['no_bucket', 'no_bucket']);
  await assert.rejects(storage.open(key), isMediaUnavailable);
  assert.equal((await storage.open(key))?.sizeBytes, 4);
  assert.equal(await storage.open(`${folder}/ast_2.mp4`), undefined);
});

for (const fault of ['foreign_404', 'foreign_page'] as const) {
  /** Opens a storage whose requests, or those of one method, are answered by another server. */
  const openBehind = async (method?: string) => {
    const storage = await openEmptyBucket();
    await storage.put(key, [Buffer.from('here')]);
    const answersOfOthers = Array.from({ length: 100 }, () => fault);
    storage.server.fail(answersOfOthers, (asked) => method === undefined || asked.method === method);
    return storage;
  };

  test(`where somebody else answers with a ${fault} nothing is done, there or gone`, async () => {
    await using storage = await openBehind();
    const uses: (() => Promise<unknown>)[] = [
      () => storage.put(key, [Buffer.from('small')]),
      () => storage.put(key, chunksOf(large)),
      () => storage.open(key),
      () => storage.withLocalFile(key, async () => undefined),
      () => storage.removeFolder(folder),
      () => Array.fromAsync(storage.list()),
      () => storage.removeUnfinished(new Date()),
      () => storage.claim('std_one'),
      () => storage.check(),
    ];
    for (const use of uses) await assert.rejects(use, isMediaUnavailable, String(use));
  });

  test(`where somebody else answers to PUT or POST alone with a ${fault} nothing was stored`, async () => {
    for (const method of ['PUT', 'POST']) {
      await using storage = await openBehind(method);
      await assert.rejects(storage.put(key, chunksOf(large)), isMediaUnavailable, method);
      assert.equal(storage.server.objects.get(key)?.bytes.toString(), 'here');
    }
    await using storage = await openBehind('PUT');
    await assert.rejects(storage.put(`${folder}/ast_2.mp4`, [Buffer.from('small')]), isMediaUnavailable);
    await assert.rejects(storage.check(), isMediaUnavailable);
  });
}

test('an upload is not complete because somebody else says so, or does not know it', async () => {
  for (const fault of ['foreign_404', 'foreign_page'] as const) {
    await using storage = await openEmptyBucket();
    const answersOfOthers = Array.from({ length: 100 }, () => fault);
    storage.server.fail(answersOfOthers, ({ method, query }) => method === 'POST' && query.has('uploadId'));
    await assert.rejects(storage.put(key, chunksOf(large)), isMediaUnavailable);
    assert.deepEqual([storage.server.objects.size, storage.server.uploads.size], [0, 0]);
  }
});

test('a bucket that gives back other bytes than were written is not taken into use', async () => {
  await using storage = await openEmptyBucket();
  storage.server.fail(['wrong_bytes'], ({ method, key: asked }) => method === 'GET' && asked !== '');
  await assert.rejects(storage.check(), isMediaUnavailable);
});

test('a bucket is written to by the first look and by one after a fault, and only read by all others', async () => {
  await using storage = await openEmptyBucket();
  const { server } = storage;
  const asked: string[] = [];
  server.onRequest = (request) => void asked.push(request.method);
  const look = async () => {
    asked.length = 0;
    await storage.check();
    return asked.join(' ');
  };
  const writing = 'GET PUT GET DELETE';
  assert.deepEqual([await look(), await look()], [writing, 'GET']);
  const away = Array.from({ length: 4 }, () => 'unavailable' as const);
  for (const method of ['PUT', 'HEAD']) {
    server.fail(away, (request) => request.method === method);
    await assert.rejects(
      method === 'PUT' ? storage.put(key, [Buffer.from('small')]) : storage.open(key),
      isMediaUnavailable,
    );
    assert.deepEqual([await look(), await look()], [writing, 'GET']);
  }
  // While an object cannot be deleted, the storage uses the same one.
  server.fail(away, ({ method }) => method === 'HEAD');
  await assert.rejects(storage.open(key), isMediaUnavailable);
  for (let i = 0; i < 2; i++) {
    server.fail(away, ({ method }) => method === 'DELETE');
    await assert.rejects(storage.check(), isMediaUnavailable);
  }
  assert.equal(server.objects.size, 1);
  assert.deepEqual([await look(), await look(), server.objects.size], [writing, 'GET', 0]);
});

test('bytes that are not those that were stored are fetched again, and never lent', async () => {
  await using storage = await openEmptyBucket();
  await storage.put(key, [Buffer.from('as they were')]);
  const read = (path: string) => readFile(path, 'utf8');
  const isGet = ({ method }: { method: string }) => method === 'GET';
  storage.server.fail(['wrong_bytes'], isGet);
  assert.equal(await storage.withLocalFile(key, read), 'as they were');
  storage.server.fail(['wrong_bytes', 'wrong_bytes', 'wrong_bytes'], isGet);
  await assert.rejects(storage.withLocalFile(key, read), isMediaUnavailable);
});

test('what stays away is told as unavailable, and leaves no upload behind', async () => {
  await using storage = await openEmptyBucket();
  const { server } = storage;
  server.fail(Array.from({ length: 4 }, () => 'unavailable' as const));
  await assert.rejects(storage.open(key), isMediaUnavailable);
  server.fail(
    Array.from({ length: 4 }, () => 'unavailable' as const),
    ({ query }) => query.get('partNumber') === '2',
  );
  await assert.rejects(storage.put(key, chunksOf(large)), isMediaUnavailable);
  assert.equal(server.objects.size, 0);
  assert.equal(server.uploads.size, 0);
});

test('uploads that a killed process began are ended, and no others', async () => {
  await using storage = await openEmptyBucket();
  const { uploads } = storage.server;
  const upload = { key, headers: {}, parts: new Map<number, Buffer>() };
  uploads.set('old', { ...upload, begun: new Date(Date.now() - 60_000) });
  uploads.set('new', { ...upload, begun: new Date() });
  assert.equal(await storage.removeUnfinished(new Date(Date.now() - 30_000)), 1);
  assert.deepEqual([...uploads.keys()], ['new']);
});

test('each object says what its bytes hash to, and what others keep in the bucket is not listed', async () => {
  await using storage = await openEmptyBucket();
  await storage.put(key, chunksOf(large));
  await storage.put(`${folder}/thumb.webp`, [Buffer.from('small')]);
  const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  for (const { bytes, headers } of storage.server.objects.values())
    assert.equal(headers['x-amz-meta-sha256'], hashOf(bytes));
  storage.server.objects.set('notes/read me.txt', {
    bytes: Buffer.alloc(1),
    headers: {},
    storedAt: new Date(),
  });
  const listed = (await Array.fromAsync(storage.list())).flat().map((blob) => blob.key);
  assert.deepEqual(listed, [key, `${folder}/thumb.webp`]);
  await storage.check();
  assert.equal(storage.server.objects.size, 3, 'the probe is gone again');
});

test('a link opens the one blob for whoever has it', async () => {
  await using storage = await openEmptyBucket();
  await storage.put(key, [Buffer.from('linked')]);
  const headers = {
    contentType: 'video/mp4',
    disposition: 'inline; filename="a b+c.mp4"',
    cacheControl: 'private',
  };
  const link = (await storage.publicUrl?.(key, headers, 60)) ?? '';
  assert.equal(await (await fetch(link)).text(), 'linked');
  assert.equal((await fetch(link.replace('ast_1', 'ast_2'))).status, 403);
});
