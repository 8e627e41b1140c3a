import assert from 'node:assert/strict';
import { rename, symlink } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StudioUpload } from '@renderkit/contract/studio/schemas/upload.ts';
import { moveClock } from '@renderkit/server-kit/testing/database.ts';
import { mediaDirectory } from '@renderkit/blob-storage/disk-blob-storage.ts';
import { settleUpload } from '@renderkit/studio/uploads/store.ts';
import { createDoomedPart, dieAt } from './doomed-part.ts';
import { startTestStudio } from './harness.ts';
import { makeImage } from './media-files.ts';

test('a studio killed at any point of an upload leaves a whole one, or none and no file for long', async () => {
  await using studio = await startTestStudio({ worker: false });
  const account = await studio.connect();
  const bytes = await makeImage();
  const points = ['upload: file written', 'upload: before the commit', 'upload: after the commit'];
  for (const [i, point] of points.entries()) {
    const crashing = createDoomedPart(studio, 'studio', point);
    await crashing.start();
    await assert.rejects(
      fetch(`${crashing.url}/api/uploads/upl_${i}`, {
        method: 'PUT',
        headers: {
          authorization: `Bearer ${account.accessToken}`,
          'content-type': 'application/octet-stream',
        },
        body: new Uint8Array(bytes),
      }),
    );
    await crashing.ended;
    const { status } = await account.call('GET', `/api/uploads/upl_${i}`);
    assert.equal(status, point === 'upload: after the commit' ? 200 : 404, point);
    assert.equal((await account.upload(`upl_${i}`, bytes)).body.outcome, 'stored', point);
  }
  // Two of the killed studios left a file that no row names, in addition to one file for each upload.
  assert.equal((await studio.mediaKeys()).length, 5);
  await studio.clean();
  assert.equal((await studio.mediaKeys()).length, 5);
  for (const { id } of await studio.database.rows<{ id: string }>('select id from uploads'))
    await settleUpload(studio.database, id, { status: 'ready' });
  await moveClock(studio.database, 2 * 60 * 60);
  await studio.clean();
  assert.equal((await studio.mediaKeys()).length, 3);
  assert.deepEqual(await studio.database.rows('select from loose_folders'), []);
});

test('what a studio killed while it deletes leaves behind is removed later', async () => {
  await using studio = await startTestStudio({ worker: false });
  const account = await studio.connect();
  await account.upload('upl_1', await makeImage());
  await studio.database.rows('select delete_upload($1, $2)', [account.id, 'upl_1']);
  assert.equal((await studio.mediaKeys()).length, 1);
  await studio.clean();
  assert.deepEqual(await studio.mediaKeys(), []);
});

test('the file that a worker killed while it rejects it left behind is removed later', async () => {
  await using studio = await startTestStudio({ worker: false });
  const account = await studio.connect();
  await account.upload('upl_1', await makeImage());
  const [row] = await studio.database.rows<{ id: string }>('select id from uploads');
  await settleUpload(studio.database, row?.id ?? '', { status: 'rejected', error: 'No.' });
  assert.equal((await studio.mediaKeys()).length, 1);
  await studio.clean();
  assert.deepEqual(await studio.mediaKeys(), []);
});

test('a worker killed while it checks an upload is followed by another that settles it', async () => {
  await using studio = await startTestStudio({ worker: false });
  const account = await studio.connect();
  await account.upload('upl_1', await makeImage());
  await dieAt(studio, 'upload: being checked');
  const { body } = await account.call<StudioUpload>('GET', '/api/uploads/upl_1');
  assert.equal(body.status, 'processing');
  await using _ = await studio.startWorker();
  assert.equal((await account.checked('upl_1')).status, 'ready');
});

test('an upload that nobody checks is rejected after a quarter of an hour', async () => {
  await using studio = await startTestStudio({ worker: false });
  const account = await studio.connect();
  await account.upload('upl_1', await makeImage());
  await studio.clean();
  const status = async () =>
    (await studio.database.rows<{ status: string; error: string }>('select status, error from uploads'))[0];
  assert.equal((await status())?.status, 'processing');
  await moveClock(studio.database, 15 * 60 + 1);
  await studio.clean();
  assert.deepEqual(await status(), { status: 'rejected', error: 'The file could not be checked in time.' });
  assert.deepEqual(await studio.mediaKeys(), []);
});

test('an upload that is checked while the media cannot be read is no worse for it', async () => {
  await using studio = await startTestStudio({ worker: false, config: { s3: undefined } });
  const account = await studio.connect();
  await account.upload('upl_1', await makeImage());
  const [key = ''] = await studio.mediaKeys();
  const shard = path.join(mediaDirectory(studio.dataDirectory), key.slice(0, 2));
  const aside = path.join(studio.dataDirectory, 'aside');
  await rename(shard, aside);
  // Simulates a failing file system; root gets this error too.
  await symlink(path.basename(shard), shard);
  await using _worker = await studio.startWorker();
  const status = async () => ((await account.call('GET', '/api/uploads/upl_1')).body as StudioUpload).status;
  // The worker has tried once the check is scheduled again.
  const again = `update pgboss.job set start_after = now() where state = 'created' and start_after > now() returning id`;
  for (let tries = 0; (await studio.database.rows(again)).length === 0; tries++) {
    assert.ok(tries < 200, 'nothing is to be checked again');
    assert.equal(await status(), 'processing');
    await sleep(50);
  }
  assert.equal(await status(), 'processing');
  // In one step: if the folder were missing for a moment, the file would count as missing.
  const mended = path.join(studio.dataDirectory, 'mended');
  await symlink(aside, mended);
  await rename(mended, shard);
  assert.equal((await account.checked('upl_1')).status, 'ready');
});
