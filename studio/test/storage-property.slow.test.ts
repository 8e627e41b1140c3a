import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { StudioAnswer } from '@renderkit/contract/studio/operations.ts';
import type { StudioProject } from '@renderkit/contract/studio/schemas/library.ts';
import { moveClock } from '@renderkit/server-kit/testing/database.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { addLibraryItem, deleteAccount, setAccount } from '@renderkit/studio/operator.ts';
import { openStorage } from '@renderkit/blob-storage/open-storage.ts';
import { settleUpload } from '@renderkit/studio/uploads/store.ts';
import { createDoomedPart } from './doomed-part.ts';
import { startTestStudio, type TestAccount, type TestStudio } from './harness.ts';
import { makeMedia, makeImage } from './media-files.ts';

const rounds = 12;
const actsAtOnce = 8;

/** Returns a generator of numbers from 0 to below 1, the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

test('what is counted is what is stored, after any history of acts side by side and of kills', async (t) => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  t.diagnostic(`seed ${seed}`);
  const random = randomOf(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

  await using studio = await startTestStudio();
  await makeMedia(studio.dataDirectory, 'video.mp4');
  const images = await Promise.all([8, 300, 700].map((width) => makeImage({ width, format: 'png' })));
  const accounts = await Promise.all([
    studio.connect({ tier: 'pro' }),
    studio.connect({ tier: 'pro' }),
    studio.connect({ tier: 'pro' }),
  ]);
  let tokens = 0;
  const act = async (account: TestAccount): Promise<unknown> => {
    const uploads = await idsOf(studio, 'select token as id from uploads where account_id = $1', account);
    const items = await idsOf(
      studio,
      `select case when generation_type = 'frame' then 'frame' else type end || '/' || id as id
       from assets where account_id = $1`,
      account,
    );
    const videos = items.filter((item) => item.startsWith('video/'));
    const frame = async (kept: boolean) => {
      const { body: project } = await account.call<StudioProject>('POST', '/api/projects', { title: 'Kept' });
      return account.call('POST', `/api/videos/${(pick(videos) ?? 'video/none').slice(6)}/frames`, {
        time: pick([0, 0.25, 0.5, 'last']),
        project_id: kept ? project.id : null,
      });
    };
    const acts: (() => Promise<unknown>)[] = [
      () => account.upload(`upl_${++tokens}`, pick(images), random() < 0.5 ? {} : { hidden: 'true' }),
      () => account.upload(`upl_${++tokens}`, pick(images), { file_name: 'sandbox-rejected.png' }),
      () => account.upload(pick([...uploads, 'upl_new']), pick(images)),
      () => account.call('DELETE', `/api/uploads/${pick([...uploads, 'upl_none'])}`),
      () => account.call('DELETE', `/api/assets/${pick([...items, 'image/none'])}`),
      () =>
        addLibraryItem(studio.database, {
          email: account.email,
          ...studio.mediaLocation,
          file: path.join(studio.dataDirectory, 'video.mp4'),
        }),
      () => account.submit(`gen_${++tokens}`),
      () => frame(true),
      () => frame(false),
      () =>
        setAccount(studio.database, account.email, { storageBytes: pick([null, 4_000, 40_000, 400_000]) }),
      () => studio.database.rows(`update frames set kept_until = clock() where random() < 0.5`),
      () => studio.clean(),
    ];
    return pick(acts)();
  };

  for (let round = 0; round < rounds; round++) {
    const kills =
      round % 4 === 3 ? [killInUpload(studio, pick(accounts), `upl_k${round}`, pick(points))] : [];
    await Promise.all([...Array.from({ length: actsAtOnce }, () => act(pick(accounts))), ...kills]);
    assert.deepEqual(await countedOtherwise(studio), [], `after round ${round}`);
  }
  const [gone] = accounts;
  await deleteAccount(studio.database, gone?.email ?? '');
  await untilAtRest(studio);
  assert.deepEqual(await countedOtherwise(studio), []);

  // Files left by killed processes are removed after their time. Then exactly the counted files remain.
  await moveClock(studio.database, 2 * 60 * 60);
  await studio.clean();
  const [counted] = await studio.database.rows<{ bytes: number }>(
    'select sum(uploads_bytes + outputs_bytes)::bigint as bytes from accounts',
  );
  assert.equal(await bytesStored(studio), counted?.bytes);
  assert.deepEqual(await studio.database.rows('select from loose_folders where reserved_bytes > 0'), []);
});

async function idsOf(studio: TestStudio, query: string, account: TestAccount): Promise<string[]> {
  const rows = await studio.database.rows<{ id: string }>(query, [account.id]);
  return rows.map(({ id }) => id);
}

/** Returns accounts whose counters differ from the sums of their rows. */
function countedOtherwise(studio: TestStudio): Promise<object[]> {
  return studio.database.rows(
    `select a.id, a.uploads_bytes, u.bytes as uploads, a.outputs_bytes, o.bytes as outputs
       from accounts a
      cross join lateral (select coalesce(sum(size_bytes), 0) as bytes from uploads
                           where account_id = a.id and status <> 'rejected') u
      cross join lateral (select coalesce(sum(size_bytes), 0) as bytes from (
          select size_bytes from assets where account_id = a.id
          union all select f.size_bytes from frames f join assets v on v.id = f.video_id
           where v.account_id = a.id) as items) o
      where a.uploads_bytes <> u.bytes or a.outputs_bytes <> o.bytes`,
  );
}

/** Waits until no render or check is in progress, and deleted accounts are erased. */
async function untilAtRest(studio: TestStudio): Promise<void> {
  await until('rest', async () => {
    await studio.clean();
    const [row] = await studio.database.rows<{ busy: boolean }>(
      `select exists (select from renders where status in ('queued', 'running'))
           or exists (select from accounts where deleted_at is not null and erased_at is null) as busy`,
    );
    // Uploads of killed studios have jobs that nobody may take any more.
    for (const { id } of await studio.database.rows<{ id: string }>(
      `select id from uploads where status = 'processing'`,
    ))
      await settleUpload(studio.database, id, { status: 'ready' });
    return row?.busy === false;
  });
}

/** Returns the bytes of all stored files. Thumbnails are not counted. */
async function bytesStored(studio: TestStudio): Promise<number> {
  await using storage = await openStorage(studio.mediaLocation);
  const keys = (await studio.mediaKeys()).filter((key) => !key.endsWith('/thumb.webp'));
  const blobs = await Promise.all(keys.map((key) => storage.open(key)));
  return blobs.reduce((sum, blob) => sum + (blob?.sizeBytes ?? Number.NaN), 0);
}

const points = ['upload: file written', 'upload: before the commit', 'upload: after the commit'] as const;

/** Sends a file to a studio on the same database and directory that kills itself during the upload. */
async function killInUpload(
  studio: TestStudio,
  account: TestAccount,
  token: string,
  point: (typeof points)[number],
): Promise<void> {
  const crashing = createDoomedPart(studio, 'studio', point);
  await crashing.start();
  const answer = await fetch(`${crashing.url}/api/uploads/${token}`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${account.accessToken}`,
      'content-type': 'application/octet-stream',
    },
    body: new Uint8Array(await makeImage({ width: 500 })),
  }).then(
    (response) => response.json() as Promise<StudioAnswer<'storeUpload'>>,
    () => undefined,
  );
  // Without room, the upload was refused before the point.
  if (answer !== undefined) await crashing.kill();
  await crashing.ended;
}
