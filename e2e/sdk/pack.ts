import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { takeLock } from '@renderkit/server-kit/files/file-lock.ts';

const run = promisify(execFile);

/** The root of the sources. */
export const root = path.join(import.meta.dirname, '../..');

/** An empty project that contains only the packed client. */
export type PackedProject = AsyncDisposable & {
  folder: string;
  /** The client's folder in it. */
  installed: string;
};

/** Packs the client as for publishing and unpacks it as npm does. It has no dependencies to download. */
export async function packClient(): Promise<PackedProject> {
  const folder = await mkdtemp(path.join(tmpdir(), 'renderkit-packed-'));
  await writeFile(path.join(folder, 'package.json'), '{ "name": "empty", "type": "module" }');
  return {
    folder,
    installed: await packInto(folder, 'clients/sdk', 'renderkit'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Packs a workspace and unpacks it into the `node_modules` of a project. Returns its folder. */
export async function packInto(project: string, workspace: string, name: string): Promise<string> {
  using _turn = await takeTurn();
  const { stdout } = await run('npm', ['pack', '--json', '--loglevel=error', '--pack-destination', project], {
    cwd: path.join(root, workspace),
  });
  const filename = /"filename": "([^"]+)"/.exec(stdout)?.[1];
  assert.ok(filename, stdout);
  const installed = path.join(project, 'node_modules', name);
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', path.join(project, filename), '-C', installed, '--strip-components=1']);
  return installed;
}

const lockFile = path.join(root, 'node_modules/.cache/renderkit-pack.lock');
/** Longer than all processes that may be waiting before this one need. */
const turnWithinMs = 300_000;

/** Waits for the lock: only one process at a time may pack, because packing writes `dist/` again. */
async function takeTurn(): Promise<Disposable> {
  await mkdir(path.dirname(lockFile), { recursive: true });
  const turn = await takeLock(lockFile, { waitMs: turnWithinMs });
  assert.ok(turn !== undefined, `others have packed for ${turnWithinMs / 60_000} minutes`);
  return turn;
}
