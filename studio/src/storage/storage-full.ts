import type { StorageUse } from '@renderkit/contract/studio/storage.ts';
import { StudioError } from '../errors.ts';

/** What the account would store with this does not fit. */
export function storageFull({ used_bytes, limit_bytes }: StorageUse): StudioError {
  return new StudioError('storage_full', storageFullMessage, { storage: { used_bytes, limit_bytes } });
}

export const storageFullMessage = 'What the account may store is used up, or this does not fit any more.';
