import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { allowLocation, recordLocation, requireLocation } from '@renderkit/studio/storage/media-location.ts';
import type { MediaLocation } from '@renderkit/blob-storage/open-storage.ts';
import { startS3Counterpart } from '@renderkit/blob-storage/testing/s3-counterpart.ts';
import { startTestStudio } from './harness.ts';

const disk: MediaLocation = { dataDirectory: '/data' };

function inBucket(bucket: string, endpoint = 'https://s3.example.org'): MediaLocation {
  const rest = { region: 'us-east-1', accessKeyId: 'id', secretAccessKey: 'secret', pathStyle: true };
  return { dataDirectory: '/data', s3: { endpoint, bucket, ...rest } };
}

test('where media are kept is what the first part says, and every other part has to say the same', async () => {
  await using db = await createTestDatabase('studio');
  const { database } = db;
  await requireLocation(database, disk);
  await requireLocation(database, inBucket('one'));
  await recordLocation(database, inBucket('one'));
  // The bucket's address as another machine names it.
  await requireLocation(database, inBucket('one', 'http://minio:9000'));
  await assert.rejects(
    requireLocation(database, disk),
    /^ConfigError: This studio's media are kept in the bucket one, but the variables of this part name \/data\/media: set MEDIA_STORE=s3 and S3_BUCKET=one, as the other parts have it\. To move the media, run the operator's command media copy --to disk first\.$/,
  );
  await assert.rejects(requireLocation(database, inBucket('two')), /name the bucket two: set MEDIA_STORE=s3/);
});

test('media move to a location that was allowed with the first part that starts there, and back likewise', async () => {
  await using db = await createTestDatabase('studio');
  const { database } = db;
  await recordLocation(database, disk);
  await assert.rejects(
    requireLocation(database, inBucket('one')),
    /are kept on a disk, .*media copy --to s3 first/,
  );
  await allowLocation(database, inBucket('one'));
  // Until then, parts that restart find the media in the old location.
  await requireLocation(database, disk);
  await requireLocation(database, inBucket('one'));
  await recordLocation(database, inBucket('one'));
  await assert.rejects(requireLocation(database, disk), /are kept in the bucket one/);
  await allowLocation(database, disk);
  await recordLocation(database, disk);
  await assert.rejects(requireLocation(database, inBucket('one')), /are kept on a disk/);
});

test('of parts that start first and at one moment with different locations one is refused', async () => {
  await using db = await createTestDatabase('studio');
  const outcomes = await Promise.allSettled(
    [disk, inBucket('one')].map((location) => recordLocation(db.database, location)),
  );
  assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
});

test('a studio that starts records where its media are kept', async () => {
  await using server = await startS3Counterpart();
  await using studio = await startTestStudio({ worker: false, config: { s3: server.config } });
  await assert.rejects(requireLocation(studio.database, disk), /are kept in the bucket media-of-tests/);
});
