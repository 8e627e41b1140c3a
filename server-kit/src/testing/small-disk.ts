import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { chmod, mkdtemp, open, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const prefix = 'renderkit-disk-';

/** Returns why no disk can be mounted here, for a test's `skip`; false when it is possible. */
export function noSmallDisk(): string | false {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'a small disk can be mounted by root on Linux alone';
  const directory = mkdtempSync(path.join(tmpdir(), prefix));
  try {
    if (spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', directory]).status !== 0)
      return 'this machine lets nobody mount a small disk';
    spawnSync('umount', [directory]);
    return false;
  } finally {
    rmdirSync(directory);
  }
}

export type SmallDisk = AsyncDisposable & {
  directory: string;
  /** Writes until the disk is completely full. */
  fill: () => Promise<void>;
  /** Frees the space that `fill` used. */
  free: () => Promise<void>;
};

/** Mounts a separate disk (tmpfs), at a new directory or over an existing one. Disposing unmounts it. */
export async function mountSmallDisk(options: {
  megabytes: number;
  over?: string;
  readOnly?: boolean;
}): Promise<SmallDisk> {
  const directory = options.over ?? (await mkdtemp(path.join(tmpdir(), prefix)));
  await chmod(directory, 0o711);
  const settings = `size=${options.megabytes}m,mode=0711${options.readOnly === true ? ',ro' : ''}`;
  await run('mount', ['-t', 'tmpfs', '-o', settings, 'tmpfs', directory]);
  const filler = path.join(directory, 'filler');
  return {
    directory,
    fill: () => fill(filler),
    free: () => rm(filler, { force: true }),
    [Symbol.asyncDispose]: async () => {
      // Unmounts lazily, because a process that is ending may still hold a file.
      await run('umount', ['--lazy', directory]);
      if (options.over === undefined) await rmdir(directory);
    },
  };
}

async function fill(file: string): Promise<void> {
  await using handle = await open(file, 'a');
  for (let bytes = 1024 * 1024; bytes >= 1;) {
    try {
      await handle.appendFile(Buffer.alloc(bytes));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      bytes = Math.floor(bytes / 16);
    }
  }
}
