import { chmod, mkdir, stat } from 'node:fs/promises';

/** What only the account that we run under may read, whatever its umask. */
export const privateDirectoryMode = 0o700;
export const privateFileMode = 0o600;

/** Makes a directory, with those above it, for its owner alone; one that is there is closed to others. */
export async function makePrivateDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: privateDirectoryMode });
  await setMode(directory, privateDirectoryMode);
}

/** Makes a directory for its owner alone where there is none; one that is there stays as open as it is. */
export async function makeMissingDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: privateDirectoryMode });
}

/**
 * Gives a file or directory this mode. Nothing happens where there is none, where it has it, on Windows, and to a
 * directory that all share (`/tmp`). False where it belongs to another account, whose it is to decide.
 */
export async function setMode(file: string, mode: number): Promise<boolean> {
  if (process.platform === 'win32') return true;
  try {
    const found = (await stat(file)).mode;
    if ((found & 0o7777) !== mode && (found & 0o1000) === 0) await chmod(file, mode);
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return true;
    if (['EPERM', 'EACCES', 'EROFS', 'ENOTSUP'].includes(code)) return false;
    throw error;
  }
}
