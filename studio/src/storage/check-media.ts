import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createLimiter } from '@renderkit/server-kit/work/limiter.ts';
import { type BlobStorage, folderOf } from './blob-storage.ts';
import { findNamedFolders, findNamedKeys, namingTables, pageOfKeys } from './store.ts';

export type MediaCheck = {
  /** Keys that a row names and that have no blob. */
  rows_without_bytes: string[];
  /** Keys of blobs in folders that no row names. */
  bytes_without_rows: string[];
  /** How many keys were looked at. */
  checked: number;
};

/** Rows of a page, each with two keys at most but for videos with many frames. */
const rowsPerPage = 500;
const looksAtOnce = 16;
/** Blobs whose folders are looked for at once: one statement reads all rows, however few they are. */
const blobsPerLook = 20_000;
/** What is younger may be waiting for its row: longer than any file is on its way. */
const minAgeMs = 60 * 60_000;

/** Compares what rows name with what the storage holds, while others work with both. Changes nothing. */
export async function checkMedia(
  database: Database,
  storage: BlobStorage,
  now = new Date(),
): Promise<MediaCheck> {
  const result: MediaCheck = { rows_without_bytes: [], bytes_without_rows: [], checked: 0 };
  for await (const keys of keysOfRows(database)) {
    result.checked += keys.length;
    const missing = await missingOf(storage, keys);
    // Their rows may have gone meanwhile, and the blobs with them.
    if (missing.length > 0) result.rows_without_bytes.push(...(await findNamedKeys(database, missing)));
  }
  for await (const keys of findUnnamed(database, storage, new Date(now.getTime() - minAgeMs))) {
    result.checked += keys.length;
    result.bytes_without_rows.push(...keys);
  }
  return result;
}

async function* keysOfRows(database: Database): AsyncGenerator<string[]> {
  for (const table of namingTables) {
    let after = '';
    for (;;) {
      const page = await pageOfKeys(database, table, { after, rows: rowsPerPage });
      const last = page.at(-1);
      if (last === undefined) break;
      yield page.flatMap(({ keys }) => keys);
      after = last.last;
    }
  }
}

async function missingOf(storage: BlobStorage, keys: readonly string[]): Promise<string[]> {
  const limiter = createLimiter({ slots: looksAtOnce });
  const looks = keys.map(async (key) => {
    using _ = await limiter.enter();
    return (await storage.open(key)) === undefined ? [key] : [];
  });
  return (await Promise.all(looks)).flat();
}

/** Keys of blobs that were stored before the time and whose folder no row names, in groups. */
export async function* findUnnamed(
  database: Database,
  storage: BlobStorage,
  storedBefore: Date,
): AsyncGenerator<string[]> {
  let old: string[] = [];
  const unnamed = async () => {
    const named = await findNamedFolders(database, [...new Set(old.map(folderOf))]);
    const found = old.filter((key) => !named.has(folderOf(key)));
    old = [];
    return found;
  };
  for await (const page of storage.list()) {
    for (const { key, storedAt } of page) if (storedAt < storedBefore) old.push(key);
    if (old.length >= blobsPerLook) yield await unnamed();
  }
  if (old.length > 0) yield await unnamed();
}
