import { ConfigError } from '../process/config.ts';

const storageCodes = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO']);

/** Media storage that is not a disk of this machine cannot be used now. */
export class MediaUnavailable extends Error {
  override name = 'MediaUnavailable';
}

/** Returns true when storage on the network was unavailable. Checks the causes of the error too. */
export function isMediaUnavailable(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof MediaUnavailable) return true;
  return false;
}

/**
 * Returns true when a file could not be written because there is no space, because its file system accepts no writes
 * now, or because the storage on the network is unavailable. The same write may succeed later. Checks the causes of the
 * error too.
 */
export function isStorageUnavailable(error: unknown): boolean {
  if (isMediaUnavailable(error)) return true;
  for (let at = error; at instanceof Error; at = at.cause)
    if ('code' in at && typeof at.code === 'string' && storageCodes.has(at.code)) return true;
  return false;
}

const reasons: Partial<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'the operation is not permitted',
  EROFS: 'its file system is mounted read-only',
  ENOSPC: 'no space is left on its disk',
  EDQUOT: 'the disk quota is used up',
  EIO: 'its disk reports an error',
};

/**
 * Describes for an operator why a program did not start. For a problem that the operator can fix, returns one sentence;
 * otherwise returns all details. `program` is then the subject of the sentence: "The service".
 */
export function describeStartFailure(error: unknown, program: string): string {
  if (error instanceof ConfigError) return error.message;
  const known = explainFileError(error);
  if (known !== undefined) return known;
  return `${program} could not start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

/** Returns a sentence when a file or directory cannot be used for a reason outside of the program; else `undefined`. */
export function explainFileError(error: unknown): string | undefined {
  const { code, path, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  const reason = code === undefined ? undefined : reasons[code];
  // Excludes errors for programs that cannot be started and for ports. A write to an open file has no path in its
  // error.
  const isFile =
    path === undefined ? syscall === 'write' || syscall === 'fsync' : !syscall?.startsWith('spawn');
  if (reason === undefined || !isFile) return undefined;
  return `${path ?? 'A file'} cannot be used (${code}: ${reason}): mend that, or set DATA_DIR to a directory that this user can write.`;
}
