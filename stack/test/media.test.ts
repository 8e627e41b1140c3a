import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { openDatabase } from '@renderkit/server-kit/db/database.ts';
import { ownerFile } from '@renderkit/blob-storage/claim-disk.ts';
import { mediaDirectory } from '@renderkit/blob-storage/disk-blob-storage.ts';
import { recordLocation, requireLocation } from '@renderkit/studio/storage/media-location.ts';
import { startS3Counterpart } from '@renderkit/blob-storage/testing/s3-counterpart.ts';
import { mediaEnvironment } from '@renderkit/blob-storage/testing/test-media.ts';
import { StackError } from '../src/stack-error.ts';
import { openTestOperator, type TestOperator } from '../src/testing/test-operator.ts';

/** Opens an operator with a new studio, and the bucket that its variables name. */
async function openWithBucket() {
  await using owned = new AsyncDisposableStack();
  const server = owned.use(await startS3Counterpart());
  const { MEDIA_STORE: _, ...bucket } = mediaEnvironment({ s3: server.config });
  const typed = owned.use(await openTestOperator(bucket));
  const data = path.join(typed.directory, 'data');
  const database = owned.use(
    openDatabase({
      url: typed.environment['STUDIO_DATABASE_URL'] ?? '',
      poolSize: 1,
      applicationName: 'test',
    }),
  );
  const ours = owned.move();
  return {
    server,
    typed,
    database,
    disk: { dataDirectory: data },
    bucket: { dataDirectory: data, s3: server.config },
    [Symbol.asyncDispose]: () => ours.disposeAsync(),
  };
}

/** A PNG of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
);

/** Adds an account with one picture in its library. */
async function addPixel(typed: TestOperator): Promise<void> {
  await typed.run('account', 'create', '--email', 'ada@example.org');
  await writeFile(path.join(typed.directory, 'pixel.png'), pixel);
  await typed.run('library', 'add', '--email', 'ada@example.org', '--file', 'pixel.png');
}

test('an operator copies media to a bucket, and is told when rows name bytes that are not there', async () => {
  await using world = await openWithBucket();
  const { server, typed } = world;
  await addPixel(typed);
  const sound = { rows_without_bytes: [], bytes_without_rows: [], checked: 2 };
  assert.deepEqual(await typed.run('media', 'check'), { data: sound, failed: false });
  const { copied, files } = (await typed.run('media', 'copy', '--to', 's3')).data;
  const blobs = () => [...server.objects.keys()].filter((key) => key.includes('/'));
  assert.deepEqual([copied, files, blobs().length], [2, 2, 2]);
  assert.match((await typed.type('media', 'copy', '--to', 's3')).text, /^Copied 0 files .* all 2 are there/);

  await using inBucket = await openTestOperator({ ...typed.environment, MEDIA_STORE: 's3' });
  assert.deepEqual(await inBucket.run('media', 'check'), { data: sound, failed: false });
  const [lost = ''] = blobs();
  server.objects.delete(lost);
  const { data, failed } = await inBucket.run('media', 'check');
  assert.deepEqual([data['rows_without_bytes'], failed], [[lost], true]);
});

test('a copy of media that ended lets parts start where it is, and so does the command that copies none', async () => {
  await using world = await openWithBucket();
  const { database, disk, bucket, typed } = world;
  await recordLocation(database, disk);
  await assert.rejects(requireLocation(database, bucket), /media copy --to s3/);
  world.server.fail(Array.from({ length: 20 }, () => 'foreign_404' as const));
  await assert.rejects(typed.run('media', 'copy', '--to', 's3'), /what answers there is no S3 storage/);
  world.server.fail([]);
  await assert.rejects(requireLocation(database, bucket), /media copy --to s3/);
  await typed.run('media', 'copy', '--to', 's3');
  await recordLocation(database, bucket);
  await assert.rejects(requireLocation(database, disk), /media copy --to disk/);
  // The bucket may be lost permanently.
  await world.server[Symbol.asyncDispose]();
  await typed.run('media', 'place', '--to', 'disk');
  await recordLocation(database, disk);
});

test('media are copied into no place of another studio, and from none', async () => {
  await using world = await openWithBucket();
  const { server, typed } = world;
  server.objects.set('renderkit-studio', {
    bytes: Buffer.from('stu_other'),
    headers: {},
    storedAt: new Date(),
  });
  for (const to of ['s3', 'disk'])
    await assert.rejects(
      typed.run('media', 'copy', '--to', to),
      /belongs to another studio \(stu_other\)/,
      to,
    );
  server.objects.delete('renderkit-studio');
  await typed.run('media', 'copy', '--to', 's3');
  await writeFile(ownerFile(mediaDirectory(world.disk.dataDirectory)), 'stu_other');
  for (const to of ['s3', 'disk'])
    await assert.rejects(typed.run('media', 'copy', '--to', to), /belong to another studio/, to);
});

test('a bucket that goes away in the midst of a command is told in a sentence', async () => {
  await using world = await openWithBucket();
  const { server, typed } = world;
  await addPixel(typed);
  await using inBucket = await openTestOperator({ ...typed.environment, MEDIA_STORE: 's3' });
  server.fail(
    Array.from({ length: 50 }, () => 'unavailable' as const),
    ({ method }) => method === 'HEAD',
  );
  await assert.rejects(
    inBucket.type('media', 'check'),
    (error) =>
      error instanceof StackError &&
      /^The S3 storage cannot be used now: .* Call the command again once that is mended\.$/.test(
        error.message,
      ),
  );
  server.fail([]);
});
