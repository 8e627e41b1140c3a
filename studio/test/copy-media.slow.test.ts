import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { programFile } from '@renderkit/server-kit/process/programs.ts';
import { inheritedEnvironment } from '@renderkit/server-kit/testing/part.ts';
import { soaking } from '@renderkit/server-kit/testing/soak.ts';
import { copyMedia } from '@renderkit/blob-storage/copy-media.ts';
import { openStorage } from '@renderkit/blob-storage/open-storage.ts';
import { type S3Counterpart, startS3Counterpart } from '@renderkit/blob-storage/testing/s3-counterpart.ts';

const kills = soaking ? 20 : 2;
const sizes = [0, 1, 100_000, 3_000_000, 9_000_000, 200_000, 50, 17_000_000, 12];

test(`a copy to a bucket that is killed ${kills} times while files come and go ends with the same bytes`, async (t) => {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'copy-'));
  t.after(() => rm(dataDirectory, { recursive: true, force: true }));
  await using server = await startS3Counterpart();
  await using disk = await openStorage({ dataDirectory });
  const put = async (size: number) => {
    const key = `${randomBytes(16).toString('hex')}/ast_1.mp4`;
    await disk.put(key, [randomBytes(size)]);
    return key;
  };
  const keys = await Promise.all(sizes.map(put));
  for (let kill = 1; kill <= kills; kill++) {
    await killedAfter(kill + 2, { server, dataDirectory });
    keys.push(await put(1_000 * kill));
  }
  const removed = keys.shift() ?? '';
  await disk.removeFolder(removed.split('/')[0] ?? '');

  await using bucket = await openStorage({ dataDirectory, s3: server.config });
  assert.equal((await copyMedia(disk, bucket)).files, keys.length);
  for (const key of keys)
    assert.equal(await hashOf(await bucket.open(key)), await hashOf(await disk.open(key)), key);
  assert.deepEqual(await copyMedia(disk, bucket), { copied: 0, bytes: 0, files: keys.length });
});

test('of hundreds of files a few are copied at once', async (t) => {
  const folders = await Promise.all(['from-', 'to-'].map((name) => mkdtemp(path.join(tmpdir(), name))));
  t.after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));
  const [from = '', to = ''] = folders;
  await using source = await openStorage({ dataDirectory: from });
  await using target = await openStorage({ dataDirectory: to });
  const files = 100;
  const folder = randomBytes(16).toString('hex');
  for (let n = 0; n < files; n++) await source.put(`${folder}/ast_${n}.png`, [Buffer.of(n)]);
  let [writing, most] = [0, 0];
  const watched: typeof target = {
    ...target,
    put: async (key, chunks) => {
      most = Math.max(most, ++writing);
      try {
        return await target.put(key, chunks);
      } finally {
        writing--;
      }
    },
  };
  assert.equal((await copyMedia(source, watched)).copied, files);
  assert.ok(most > 1 && most <= 8, `${most} at once`);
});

/** Runs the copy in a separate process and kills it after this many writes, unless it has ended before. */
async function killedAfter(
  writes: number,
  { server, dataDirectory }: { server: S3Counterpart; dataDirectory: string },
): Promise<void> {
  const program = programFile(path.join(import.meta.dirname, 'crash-copy.ts'));
  const child = spawn(process.execPath, [program, dataDirectory, JSON.stringify(server.config)], {
    env: inheritedEnvironment(),
    stdio: 'inherit',
  });
  let left = writes;
  server.onRequest = ({ method }) => {
    if ((method === 'PUT' || method === 'POST') && --left === 0) child.kill('SIGKILL');
  };
  await once(child, 'exit');
  server.onRequest = undefined;
}

async function hashOf(
  blob: Awaited<ReturnType<Awaited<ReturnType<typeof openStorage>>['open']>>,
): Promise<string> {
  assert.ok(blob);
  return createHash('sha256')
    .update(await buffer(blob.read()))
    .digest('hex');
}
