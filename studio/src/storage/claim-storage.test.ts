import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEmptyBucket } from '@renderkit/blob-storage/testing/open-empty-bucket.ts';
import { claimStorage } from './claim-storage.ts';

test('a bucket that belongs to another studio is refused', async () => {
  await using storage = await openEmptyBucket();
  const location = { dataDirectory: '', databaseUrl: '', s3: storage.server.config };
  await claimStorage(storage, 'std_one', location);
  await claimStorage(storage, 'std_one', location);
  await assert.rejects(
    claimStorage(storage, 'std_two', location),
    /media-of-tests belongs to another studio \(std_one\)/,
  );
});
