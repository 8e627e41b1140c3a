import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { programFile } from '@renderkit/server-kit/process/programs.ts';
import { inheritedEnvironment } from '@renderkit/server-kit/testing/part.ts';
import { type Platform, startPlatform } from '@renderkit/stack/testing/platform.ts';
import { openStorage } from '@renderkit/blob-storage/open-storage.ts';
import { type S3Counterpart, startS3Counterpart } from '@renderkit/blob-storage/testing/s3-counterpart.ts';
import { mediaEnvironment } from '@renderkit/blob-storage/testing/test-media.ts';
import sharp from 'sharp';
import { createClient, untilEnded } from '../harness/client.ts';

const kills = 20;
/** How many writing requests of a copy are answered before it is killed: minimum and maximum. */
const writesBeforeKill = [1, 12] as const;
/** Images of noise are large enough that some are copied in parts. */
const uploadSides = [64, 600, 2_200];
const run = promisify(execFile);
const operator = path.join(import.meta.dirname, '../../stack/src/operator/main.ts');

test(`a copy to a bucket that is killed ${kills} times while the platform serves ends with the same bytes`, async (t) => {
  await using platform = await startPlatform({ mediaStore: 'disk' });
  await using server = await startS3Counterpart();
  const environment = { ...inheritedEnvironment(), ...platform.environment, ...bucketOf(server) };
  const load = startLoad(platform, await platform.createKey(await platform.createAccount({ tier: 'pro' })));
  let ended = 0;
  while (ended < kills) ended += (await killedCopy(server, environment)) ? 1 : 0;
  t.diagnostic(`${await load.end()} files came and ${load.deleted()} went meanwhile`);
  await copyAndCompare(t, platform, server, environment);
});

/** The copy needs only the address. `MEDIA_STORE` sets where the platform stores new media. */
function bucketOf({ config }: S3Counterpart): Record<string, string> {
  const { MEDIA_STORE: _, ...bucket } = mediaEnvironment({ s3: config });
  return bucket;
}

/** Runs the operator's command and kills it after some writes. Returns false when it ended before. */
async function killedCopy(server: S3Counterpart, environment: Record<string, string>): Promise<boolean> {
  const [from, to] = writesBeforeKill;
  let left = from + Math.floor(Math.random() * (to - from));
  const child = spawn(process.execPath, [programFile(operator), 'media', 'copy', '--to', 's3'], {
    env: environment,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  server.onRequest = ({ method, key }) => {
    const isBlob = key.includes('/');
    if (isBlob && (method === 'PUT' || method === 'POST') && --left === 0) child.kill('SIGKILL');
  };
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  server.onRequest = undefined;
  assert.ok(signal === 'SIGKILL' || code === 0, `the copy ended by ${code}`);
  return signal === 'SIGKILL';
}

type Load = { end: () => Promise<number>; deleted: () => number };

/** Uploads, renders and deletes in turn until it is ended. */
function startLoad(platform: Platform, key: string): Load {
  const client = createClient(platform.serviceUrls[0] ?? '', key);
  const state = { ending: false, came: 0, deleted: 0 };
  const work = (async () => {
    while (!state.ending) {
      const form = new FormData();
      const side = uploadSides[state.came % uploadSides.length] ?? 64;
      form.set('file', new Blob([new Uint8Array(await noise(side))], { type: 'image/png' }), 'noise.png');
      const answer = await fetch(`${platform.serviceUrls[0]}/v1/uploads`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: form,
      });
      assert.equal(answer.status, 201);
      const { id } = (await answer.json()) as { id: string };
      const created = await client.create({ prompt: `a lake, ${state.came}` });
      if (created.status === 202) await untilEnded(client, [created.body.id]);
      state.came++;
      if (state.came % 5 === 0) {
        const { status } = await client.call('DELETE', `/v1/uploads/${id}`);
        assert.equal(status, 200);
        state.deleted++;
      }
    }
  })();
  return {
    end: async () => {
      state.ending = true;
      await work;
      return state.came;
    },
    deleted: () => state.deleted,
  };
}

function noise(side: number): Promise<Buffer> {
  const background = { r: 128, g: 128, b: 128 };
  return sharp({
    create: {
      width: side,
      height: side,
      channels: 3,
      background,
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .png()
    .toBuffer();
}

/** Copies once more, to the end, and compares the files of all rows on both sides. */
async function copyAndCompare(
  t: TestContext,
  platform: Platform,
  server: S3Counterpart,
  environment: Record<string, string>,
): Promise<void> {
  // Deleted files are removed from the disk shortly after.
  const loose = () => platform.databases.studio.rows('select from loose_folders');
  while ((await loose()).length > 0) await sleep(100);
  const type = async (env: Record<string, string>, ...words: string[]) => {
    const { stdout } = await run(process.execPath, [programFile(operator), ...words, '--json'], { env });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  await type(environment, 'media', 'copy', '--to', 's3');
  await using disk = await openStorage({ dataDirectory: environment['DATA_DIR'] ?? '' });
  await using bucket = await openStorage({ dataDirectory: '', s3: server.config });
  const keys = (await Array.fromAsync(disk.list())).flat().map(({ key }) => key);
  t.diagnostic(`${keys.length} files`);
  assert.ok(keys.length > kills);
  for (const key of keys) {
    const [here, there] = [await disk.open(key), await bucket.open(key)];
    assert.ok(here && there, key);
    const [one, other] = [await buffer(here.read()), await buffer(there.read())].map(sha256Of);
    assert.equal(other, one, key);
    assert.equal(there.sha256, one, key);
  }
  const { rows_without_bytes: missing } = await type({ ...environment, MEDIA_STORE: 's3' }, 'media', 'check');
  assert.deepEqual(missing, []);
}

function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
