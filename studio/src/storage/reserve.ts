import type { StorageUse } from '@renderkit/contract/studio/storage.ts';
import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';
import { StudioError } from '../errors.ts';
import { hasSpace, readStorage, reserveStorage } from './store.ts';

/** Space in an account's storage for a file while it comes, so that files side by side cannot pass the limit together. */
export type Reservation = {
  /** Makes sure of space for so many bytes of the file. @throws StudioError `storage_full` */
  cover: (bytes: number) => Promise<void>;
};

/**
 * For what is written whole before it is counted: whether so many bytes more fit, under the account's lock, which the
 * caller holds. @throws StudioError `storage_full`
 */
export async function requireSpace(transaction: Transaction, account: string, bytes: number): Promise<void> {
  if (!(await hasSpace(transaction, account, bytes)))
    throw storageFull(await readStorage(transaction, account));
}

/** Before a frame is taken out of a video; renders are refused by `renders/create-quotes.ts`. @throws StudioError `storage_full` */
export async function requireNotFull(database: Database, account: string): Promise<void> {
  const storage = await readStorage(database, account);
  if (storage.used_bytes >= storage.limit_bytes) throw storageFull(storage);
}

/** The first piece of a file whose length nobody knows, and the least that is reserved beside it. */
const minGrowthBytes = 64 * 1024;

/**
 * Reserves what is known to come, at least a byte: where the account is full nothing need be read. The reservation lies
 * with the row of the announced folder and goes with it, whether the folder is claimed or removed.
 * @throws StudioError `storage_full`
 */
export async function openReservation(
  database: Database,
  { account, folder, minBytes }: { account: string; folder: string; minBytes: number },
): Promise<Reservation> {
  let granted = 0;
  const reserve = async (needed: number, wanted: number) => {
    const reserved = await reserveStorage(database, { account, folder, needed, wanted });
    if (reserved === undefined) throw storageFull(await readStorage(database, account));
    granted = reserved;
  };
  await reserve(Math.max(1, minBytes), minBytes > 0 ? minBytes : minGrowthBytes);
  return {
    cover: async (bytes) => {
      // A quarter more each time: few statements, and little that is held without need.
      if (bytes > granted) await reserve(bytes, bytes + Math.max(minGrowthBytes, Math.floor(bytes / 4)));
    },
  };
}

/** What the account would store with this does not fit. */
function storageFull({ used_bytes, limit_bytes }: StorageUse): StudioError {
  return new StudioError('storage_full', storageFullMessage, { storage: { used_bytes, limit_bytes } });
}

export const storageFullMessage = 'What the account may store is used up, or this does not fit any more.';
