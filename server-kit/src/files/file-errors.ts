import { ConfigError } from '../process/config.ts';

const storageCodes = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO']);

/** A store of files that is no disk of this machine cannot be used now. */
export class MediaUnavailable extends Error {
  override name = 'MediaUnavailable';
}

/** True where a store behind the network was not to be had; the error's causes are looked at as well. */
export function isMediaUnavailable(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof MediaUnavailable) return true;
  return false;
}

/**
 * True where a file could not be written for want of space, because its file system takes no writes now, or because the
 * store behind the network does not serve: the same may succeed later. The error's causes are looked at as well.
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
 * What an operator reads when a program did not start: the sentence alone for what they can mend, else all that is
 * known. `program` begins the sentence then: "The service".
 */
export function describeStartFailure(error: unknown, program: string): string {
  if (error instanceof ConfigError) return error.message;
  const known = explainFileError(error);
  if (known !== undefined) return known;
  return `${program} could not start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

/** A sentence about a file or a directory that cannot be used for a reason outside of the program; else undefined. */
export function explainFileError(error: unknown): string | undefined {
  const { code, path, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  const reason = code === undefined ? undefined : reasons[code];
  // A program that may not be started is another matter, and so is a port. A write to an open file names no path.
  const isFile =
    path === undefined ? syscall === 'write' || syscall === 'fsync' : !syscall?.startsWith('spawn');
  if (reason === undefined || !isFile) return undefined;
  return `${path ?? 'A file'} cannot be used (${code}: ${reason}): mend that, or set DATA_DIR to a directory that this user can write.`;
}
