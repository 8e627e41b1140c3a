import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { type S3Counterpart, startS3Counterpart } from '@renderkit/studio/storage/testing/s3-counterpart.ts';
import { openTestOperator, type TestOperator } from '../src/testing/test-operator.ts';

/** A PNG of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
);

const owned = new AsyncDisposableStack();
let server: S3Counterpart;
let typed: TestOperator;
before(async () => {
  server = owned.use(await startS3Counterpart());
  const { endpoint, bucket, accessKeyId, secretAccessKey } = server.config;
  typed = owned.use(
    await openTestOperator({
      S3_ENDPOINT: endpoint,
      S3_BUCKET: bucket,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
    }),
  );
});
after(() => owned.disposeAsync());

test('an operator copies media to a bucket, and is told when rows name bytes that are not there', async () => {
  await typed.run('account', 'create', '--email', 'ada@example.org');
  await writeFile(path.join(typed.directory, 'pixel.png'), pixel);
  await typed.run('library', 'add', '--email', 'ada@example.org', '--file', 'pixel.png');
  const sound = { rows_without_bytes: [], bytes_without_rows: [], checked: 2 };
  assert.deepEqual(await typed.run('media', 'check'), { data: sound, failed: false });
  const { copied, files } = (await typed.run('media', 'copy', '--to', 's3')).data;
  assert.deepEqual([copied, files, server.objects.size], [2, 2, 2]);
  assert.match((await typed.type('media', 'copy', '--to', 's3')).text, /^Copied 0 files .* all 2 are there/);

  await using inBucket = await openTestOperator({ ...typed.environment, MEDIA_STORE: 's3' });
  assert.deepEqual(await inBucket.run('media', 'check'), { data: sound, failed: false });
  const [lost = ''] = server.objects.keys();
  server.objects.delete(lost);
  const { data, failed } = await inBucket.run('media', 'check');
  assert.deepEqual([data['rows_without_bytes'], failed], [[lost], true]);
});
