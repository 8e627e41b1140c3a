import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import {
  makeTemporaryDirectory,
  removeDeadDirectories,
  withTemporaryDirectory,
} from './temporary-directory.ts';

let directory = '';
before(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'renderkit-temporary-test-'));
  process.env['TMPDIR'] = directory;
});
after(async () => rm(directory, { recursive: true, force: true }));

const exists = async (file: string) =>
  stat(file).then(
    () => true,
    () => false,
  );

/** Starts a process that is in the middle of its work; returns its directory too. */
async function startWorking(): Promise<{ child: ChildProcess; directory: string }> {
  const module = new URL('temporary-directory.ts', import.meta.url).href;
  const script = `
    const { withTemporaryDirectory } = await import(${JSON.stringify(module)});
    await withTemporaryDirectory(async (directory) => {
      (await import('node:fs')).writeFileSync(directory + '/half-done', 'x');
      console.log(directory);
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, directory: line.toString().trim() };
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

test('work leaves nothing, whatever became of it', async () => {
  await withTemporaryDirectory(async (one) => {
    await writeFile(path.join(one, 'file'), 'x');
    await withTemporaryDirectory(async (other) => assert.notEqual(one, other));
    assert.ok(await exists(path.join(one, 'file')));
  });
  await assert.rejects(
    withTemporaryDirectory(async () => {
      throw new Error('broke');
    }),
    /broke/,
  );
  assert.deepEqual(await readdir(directory), []);
});

test('what a killed process leaves is removed; that of living ones stays, our own too', async () => {
  const killed = await startWorking();
  const living = await startWorking();
  await using ours = makeTemporaryDirectory();
  await removeDeadDirectories();
  assert.ok(await exists(path.join(killed.directory, 'half-done')));

  await kill(killed.child);
  assert.ok(await exists(path.join(killed.directory, 'half-done')));
  await removeDeadDirectories();
  assert.ok(!(await exists(path.dirname(killed.directory))));
  assert.ok(await exists(path.join(living.directory, 'half-done')));
  assert.ok(await exists(ours.path));

  await kill(living.child);
  await ours[Symbol.asyncDispose]();
  await removeDeadDirectories();
  assert.deepEqual(await readdir(directory), []);
});

test('many that clean up and work at once are not in each other’s way', async () => {
  const work = async () => {
    for (let i = 0; i < 20; i++)
      await withTemporaryDirectory(async (mine) => {
        await writeFile(path.join(mine, 'file'), 'x');
        await removeDeadDirectories();
        assert.ok(await exists(path.join(mine, 'file')));
      });
  };
  await Promise.all([work(), work(), work()]);
  assert.deepEqual(await readdir(directory), []);
});

test('one killed before it could take its lock is removed, and links and files of others are left alone', async () => {
  const elsewhere = path.join(directory, 'elsewhere');
  await mkdir(path.join(directory, 'renderkit-media-empty'));
  await mkdir(elsewhere);
  await writeFile(path.join(elsewhere, 'lock'), '');
  await symlink(elsewhere, path.join(directory, 'renderkit-media-link'));
  await writeFile(path.join(directory, 'renderkit-media-file'), '');
  await removeDeadDirectories();
  assert.deepEqual((await readdir(directory)).sort(), [
    'elsewhere',
    'renderkit-media-file',
    'renderkit-media-link',
  ]);
  assert.deepEqual(await readdir(elsewhere), ['lock']);
});
