import { chmod, mkdir, stat } from 'node:fs/promises';

/** Modes for files that only the account of this process may read, whatever its umask. */
export const privateDirectoryMode = 0o700;
export const privateFileMode = 0o600;

/** Makes a directory and its parents, for its owner only. Closes an existing directory to other accounts. */
export async function makePrivateDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: privateDirectoryMode });
  await setMode(directory, privateDirectoryMode);
}

/** Makes a directory for its owner only when there is none. Does not change the mode of an existing directory. */
export async function makeMissingDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: privateDirectoryMode });
}

/**
 * Gives a file or directory this mode. Does nothing when the file is missing or has the mode already, on Windows, and
 * for a directory that all accounts share (`/tmp`). Returns false when the mode cannot be changed, for example because
 * another account owns the file and has to decide.
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
