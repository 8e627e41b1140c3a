import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The root of the sources. */
export const root = path.join(import.meta.dirname, '../..');

/** An empty project that has the packed client and nothing else. */
export type PackedProject = AsyncDisposable & {
  folder: string;
  /** The client's own folder in it. */
  installed: string;
};

/** Packs the client as it would be published and unpacks it as npm does; it has no dependencies to be fetched. */
export async function packClient(): Promise<PackedProject> {
  const folder = await mkdtemp(path.join(tmpdir(), 'renderkit-packed-'));
  const { stdout } = await run('npm', ['pack', '--json', '--loglevel=error', '--pack-destination', folder], {
    cwd: path.join(root, 'clients/sdk'),
  });
  const filename = /"filename": "([^"]+)"/.exec(stdout)?.[1];
  assert.ok(filename, stdout);
  const installed = path.join(folder, 'node_modules/renderkit');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', path.join(folder, filename), '-C', installed, '--strip-components=1']);
  await writeFile(path.join(folder, 'package.json'), '{ "name": "empty", "type": "module" }');
  return {
    folder,
    installed,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
