import type { StorageUse } from '@renderkit/contract/studio/storage.ts';
import { ApiProblem } from '../problems/api-problem.ts';

/** What a client is told where the account may store no more: how much it stores of how much, and what helps. */
export function storageFullDetail(use: StorageUse | undefined): string {
  const stored = use === undefined ? '' : `${storageUseText(use)} `;
  return `The account's storage has no room for this. ${stored}Delete uploads or items of the library to make room.`;
}

/** `1.9 GB of 2 GB of storage are used.` */
export function storageUseText({ used_bytes: used, limit_bytes: limit }: StorageUse): string {
  return `${sizeText(used)} of ${sizeText(limit)} of storage are used.`;
}

/** A `forbidden` for a full storage. */
export function storageFull(use: StorageUse | undefined, cause?: unknown): ApiProblem {
  return new ApiProblem('forbidden', { detail: storageFullDetail(use), cause });
}

const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** Bytes in the largest unit that is not below one, as the limits of files are counted: 1 MB is 1,048,576 bytes. */
function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${unit === 0 ? value : value.toFixed(1).replace(/\.0$/, '')} ${units[unit]}`;
}
