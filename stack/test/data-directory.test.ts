import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { text } from 'node:stream/consumers';
import { programFile } from '@renderkit/server-kit/process/programs.ts';
import { mountSmallDisk, noSmallDisk } from '@renderkit/server-kit/testing/small-disk.ts';
import { inheritedEnvironment } from '@renderkit/server-kit/testing/part.ts';

const nobody = 65_534;
const asOrdinaryUser = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
const unixOnly = { skip: process.platform === 'win32' && 'Windows has no such modes' };

let root: string;
before(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'renderkit-directory-'));
  await chmod(root, 0o755);
});
after(() => rm(root, { recursive: true, force: true }));

/** Runs a program of the stack on this data directory and returns its standard error. */
async function refusalOf(
  program: string,
  directory: string,
  options: { argv?: string[]; uid?: number; gid?: number } = {},
): Promise<string> {
  const { argv = [], ...account } = options;
  const file = programFile(path.resolve(import.meta.dirname, '../src', program));
  const child = spawn(process.execPath, [file, ...argv], {
    cwd: '/',
    ...account,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...inheritedEnvironment(), DATA_DIR: directory, PORT: '0', STUDIO_PORT: '0', DEMO: 'off' },
  });
  const ended = once(child, 'exit');
  const told = await text(child.stderr);
  assert.deepEqual(await ended, [1, null], told);
  return told;
}

const sentence = (directory: string, code: string) =>
  new RegExp(
    `^The data directory ${directory} cannot be used \\(${code}: [^\\n]*\\): set DATA_DIR to a directory that can be written\\.\\n$`,
  );

test('a read-only data directory is refused in one sentence', { skip: noSmallDisk() }, async () => {
  await using disk = await mountSmallDisk({ megabytes: 1, readOnly: true });
  assert.match(await refusalOf('main.ts', disk.directory), sentence(disk.directory, 'EROFS'));
  const argv = ['account', 'list'];
  assert.match(
    await refusalOf('operator/main.ts', disk.directory, { argv }),
    sentence(disk.directory, 'EROFS'),
  );
});

test('a full data directory is refused in one sentence', { skip: noSmallDisk() }, async () => {
  await using disk = await mountSmallDisk({ megabytes: 1 });
  await disk.fill();
  assert.match(await refusalOf('main.ts', disk.directory), sentence(disk.directory, 'ENOSPC'));
});

test(
  'a data directory of somebody else is refused in one sentence, and so are files in it',
  unixOnly,
  async () => {
    const foreign = path.join(root, 'foreign');
    await mkdir(foreign, { mode: 0o555 });
    assert.match(await refusalOf('main.ts', foreign, asOrdinaryUser), sentence(foreign, 'EACCES'));
    const mixed = path.join(root, 'mixed');
    await mkdir(mixed);
    await chmod(mixed, 0o777);
    // The mode that a start as root leaves.
    await writeFile(path.join(mixed, 'lock'), '', { mode: 0o444 });
    assert.match(await refusalOf('main.ts', mixed, asOrdinaryUser), sentence(mixed, 'EACCES'));
    const logs = path.join(root, 'logs');
    await mkdir(path.join(logs, 'logs'), { recursive: true });
    await chmod(logs, 0o777);
    await chmod(path.join(logs, 'logs'), 0o555);
    const told = await refusalOf('main.ts', logs, asOrdinaryUser);
    assert.match(told, /^[^\n]*EACCES[^\n]*\n$/);
    assert.match(told, new RegExp(`${logs}/logs/`));
  },
);
