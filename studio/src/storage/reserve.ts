import type { StorageUse } from '@renderkit/contract/studio/storage.ts';
import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';
import { StudioError } from '../errors.ts';
import { hasSpace, readStorage, reserveStorage } from './store.ts';

/**
 * Reserved space in an account's storage for a file during its upload, so that parallel files cannot exceed the limit
 * together. `studio/sql/functions/free_storage.sql` computes the space.
 */
export type Reservation = {
  /** Reserves space for this many bytes of the file. @throws StudioError `storage_full` */
  cover: (bytes: number) => Promise<void>;
};

/**
 * Throws unless the account has room for so many more bytes. For files that are written completely before they are
 * counted. The caller must hold the account's lock. @throws StudioError `storage_full`
 */
export async function requireSpace(transaction: Transaction, account: string, bytes: number): Promise<void> {
  if (!(await hasSpace(transaction, account, bytes)))
    throw storageFull(await readStorage(transaction, account));
}

/**
 * Throws when the account's storage is full, before a frame is taken out of a video. `renders/create-quotes.ts` refuses
 * renders. @throws StudioError `storage_full`
 */
export async function requireNotFull(database: Database, account: string): Promise<void> {
  const storage = await readStorage(database, account);
  if (storage.used_bytes >= storage.limit_bytes) throw storageFull(storage);
}

/** The first reservation for a file of unknown length, and the minimum of each further one. */
const minGrowthBytes = 64 * 1024;

/**
 * Reserves the announced length, at least one byte: when the account is full, nothing need be read. The reservation is
 * stored in the row of the announced folder and is deleted with it, whether the folder is claimed or removed.
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
      // Reserves a quarter more each time: this needs few statements and holds little unused space.
      if (bytes > granted) await reserve(bytes, bytes + Math.max(minGrowthBytes, Math.floor(bytes / 4)));
    },
  };
}

/** Returns the error for a file that does not fit into the account's storage. */
function storageFull({ used_bytes, limit_bytes }: StorageUse): StudioError {
  return new StudioError('storage_full', storageFullMessage, { storage: { used_bytes, limit_bytes } });
}

export const storageFullMessage = 'What the account may store is used up, or this does not fit any more.';
