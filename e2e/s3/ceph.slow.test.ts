import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { buffer } from 'node:stream/consumers';
import { openCheckedStorage } from '@renderkit/blob-storage/open-storage.ts';
import { claimStorage } from '@renderkit/studio/storage/claim-storage.ts';
import { openS3BlobStorage } from '@renderkit/blob-storage/s3/s3-blob-storage.ts';
import { openS3Client } from '@renderkit/blob-storage/s3/s3-client.ts';
import type { S3Config } from '@renderkit/blob-storage/s3/s3-config.ts';
import { testConformance } from '@renderkit/blob-storage/testing/blob-storage-conformance.ts';
import { type Ceph, startCeph, unlessCeph } from './ceph.ts';

const key = `${'a1B2'.repeat(8)}/ast_1.mp4`;
const large = Buffer.alloc(20 * 1024 * 1024, 'many bytes ');

describe('on a real S3 server', { skip: unlessCeph }, () => {
  let ceph: Ceph;
  let buckets = 0;
  before(async () => (ceph = await startCeph()));
  after(() => ceph[Symbol.asyncDispose]());

  const newBucket = async (): Promise<S3Config> => {
    const config = { ...ceph.config, bucket: `media-${++buckets}` };
    await using client = openS3Client(config);
    await client.text({ method: 'PUT' });
    return config;
  };

  testConformance('Ceph', async () => openS3BlobStorage(await newBucket()));

  test('a file in parts is whole, says its hash, and a link opens it until somebody changes the link', async () => {
    const config = await newBucket();
    await using storage = openS3BlobStorage(config);
    await using client = openS3Client(config);
    await storage.put(key, [large]);
    const blob = await storage.open(key);
    assert.ok(blob && (await buffer(blob.read())).equals(large));
    const head = await client.send({ method: 'HEAD', key });
    await head?.body.dump();
    assert.equal(head?.header('x-amz-meta-sha256'), createHash('sha256').update(large).digest('hex'));
    const headers = {
      contentType: 'video/mp4',
      disposition: 'attachment; filename="a b+c.mp4"',
      cacheControl: 'private, no-cache',
    };
    const link = (await storage.publicUrl?.(key, headers, 60)) ?? '';
    const answer = await fetch(link, { headers: { range: 'bytes=0-9' } });
    assert.deepEqual([answer.status, await answer.text()], [206, 'many bytes']);
    assert.equal(answer.headers.get('content-type'), headers.contentType);
    assert.equal(answer.headers.get('content-disposition'), headers.disposition);
    assert.equal((await fetch(link.replace('ast_1', 'ast_2'))).status, 403);
  });

  test('uploads that were never completed are ended, and listed blobs are ours alone', async () => {
    const config = await newBucket();
    await using storage = openS3BlobStorage(config);
    await using client = openS3Client(config);
    await client.text({ method: 'POST', key, query: { uploads: '' } });
    assert.equal(await storage.removeUnfinished(new Date(Date.now() - 3_600_000)), 0);
    assert.equal(await storage.removeUnfinished(new Date(Date.now() + 3_600_000)), 1);
    await client.text({ method: 'PUT', key: 'notes/readme.txt', body: Buffer.from('of somebody else') });
    await storage.put(key, [Buffer.from('ours')]);
    const [blob, ...others] = (await Array.fromAsync(storage.list())).flat();
    assert.deepEqual([blob?.key, blob?.sizeBytes, others], [key, 4, []]);
  });

  test('a start is refused with a wrong secret, a wrong key, a bucket that is not there or that is taken', async () => {
    const config = await newBucket();
    const open = (s3: Partial<S3Config>) =>
      openCheckedStorage({ dataDirectory: '', s3: { ...config, ...s3 } });
    await assert.rejects(open({ secretAccessKey: 'another' }), /set S3_SECRET_ACCESS_KEY\.$/);
    await assert.rejects(open({ accessKeyId: 'ANOTHER' }), /set S3_ACCESS_KEY_ID/);
    await assert.rejects(open({ bucket: 'nowhere' }), /there is no such bucket/);
    await using storage = await open({});
    const place = { dataDirectory: '', databaseUrl: '', s3: config };
    await claimStorage(storage, 'std_one', place);
    await assert.rejects(claimStorage(storage, 'std_two', place), /belongs to another studio/);
  });

  test('of studios that claim an empty bucket at one moment one has it, time and again', async () => {
    for (let round = 0; round < 10; round++) {
      const config = await newBucket();
      const owners = ['std_one', 'std_two', 'std_three', 'std_four'];
      const told = await Promise.all(
        owners.map(async (owner) => {
          await using storage = openS3BlobStorage(config);
          return await storage.claim(owner);
        }),
      );
      await using client = openS3Client(config);
      const written = await client.text({ method: 'GET', key: 'renderkit-studio' });
      assert.deepEqual(new Set(told), new Set([written]));
    }
  });
});
