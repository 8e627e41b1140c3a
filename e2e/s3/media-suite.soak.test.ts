// Runs the tests that use media again with media in a bucket: on the counterpart, and on a real S3 server if there is
// one.

import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';
import { inheritedEnvironment } from '@renderkit/server-kit/testing/part.ts';
import { startCeph, unlessCeph } from './ceph.ts';

const runner = path.join(import.meta.dirname, '../../tools/test/main.ts');

/**
 * Every test of the studio, because each starts a studio. Of the others, only those that store, count or serve media.
 */
const everything = ['studio/test', 'e2e/storage.test.ts', 'e2e/sdk', 'service/test/requests.test.ts'];
/** Each studio makes a bucket, which takes seconds on a real server. */
const media = [
  'deletion',
  'first-image',
  'frames',
  'kinds.slow',
  'library',
  'lost-workers.slow',
  'media',
  'references',
  'renders',
  'storage',
  'storage-property.slow',
  'thumbnail-reconciliation',
  'upload-crashes.slow',
  'upload-streams',
  'uploads',
  'workers',
].map((name) => `studio/test/${name}.test.ts`);

/** Runs files with their media in buckets, in a separate process with its own cluster. */
async function runOnS3(files: readonly string[], environment: Record<string, string> = {}): Promise<void> {
  const child = fork(runner, ['--media-store', 's3', '--processes', '2', ...files], {
    // The environment must not mark the process as a test file of this run; otherwise it would run no tests.
    env: { ...inheritedEnvironment(), ...environment },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  assert.equal(code, 0);
}

test('all that touches media does the same with media in a bucket', () => runOnS3(everything));

test('what stores and hands out media does the same on a real S3 server', { skip: unlessCeph }, async () => {
  await using ceph = await startCeph();
  await runOnS3(media, { TEST_S3: JSON.stringify(ceph.config) });
});
