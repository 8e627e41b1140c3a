import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { closeOldMedia } from './close-old-media.ts';
import { openDiskBlobStorage } from './disk-blob-storage.ts';

const log = createLogger({ part: 'test', level: 'silent' });
const skip = process.platform === 'win32' && 'Windows has no modes';
const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8);
const never = new AbortController().signal;

/** Media as earlier versions wrote them, 30 folders in as many shards. */
async function oldMedia(t: TestContext) {
  const root = await mkdtemp(path.join(tmpdir(), 'old-media-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  const directory = path.join(root, 'media');
  const names = ['outside'];
  await writeFile(path.join(root, 'outside'), 'of somebody else');
  for (let i = 10; i < 40; i++) {
    const folder = path.join('media', String(i), `${i}`.padEnd(32, 'a'));
    await mkdir(path.join(root, folder), { recursive: true });
    await writeFile(path.join(root, folder, 'ast_1.png'), 'picture');
    names.push('media', path.dirname(folder), folder, path.join(folder, 'ast_1.png'));
  }
  for (const name of names)
    await chmod(path.join(root, name), (await stat(path.join(root, name))).isDirectory() ? 0o755 : 0o644);
  await symlink(path.join(root, 'outside'), path.join(directory, 'link'));
  const modes = async () =>
    new Set(await Promise.all(names.slice(1).map((name) => modeOf(path.join(root, name)))));
  return { dataDirectory: root, directory, doneFile: path.join(root, 'media-closed'), modes, names };
}

test('media of earlier versions are closed to other users, once', { skip }, async (t) => {
  const { dataDirectory, directory, doneFile, modes, names } = await oldMedia(t);
  await openDiskBlobStorage(dataDirectory);
  assert.equal(await modeOf(directory), '700', 'nobody else gets in from the start on');
  await closeOldMedia({ dataDirectory, log }, never);
  assert.deepEqual(await modes(), new Set(['700', '600']));
  assert.equal(
    await modeOf(path.join(dataDirectory, 'outside')),
    '644',
    'what a link leads to is left alone',
  );
  assert.match(await readFile(doneFile, 'utf8'), /closed to other users/);
  const file = path.join(dataDirectory, names.at(-1) ?? '');
  await chmod(file, 0o640);
  await closeOldMedia({ dataDirectory, log }, never);
  assert.equal(await modeOf(file), '640', 'a later start does not walk again');
});

test('a walk that was cut short is done by the next start', { skip }, async (t) => {
  const { dataDirectory, doneFile, modes } = await oldMedia(t);
  await openDiskBlobStorage(dataDirectory);
  const stopping = new AbortController();
  const closing = closeOldMedia({ dataDirectory, log }, stopping.signal);
  stopping.abort(new Error('stopping'));
  await closing;
  await assert.rejects(stat(doneFile), { code: 'ENOENT' });
  assert.ok((await modes()).has('644'));
  await closeOldMedia({ dataDirectory, log }, never);
  assert.deepEqual(await modes(), new Set(['700', '600']));
});
