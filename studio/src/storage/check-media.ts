import type { Database } from '@renderkit/server-kit/db/database.ts';
import { mapInSlots } from '@renderkit/server-kit/work/map-in-slots.ts';
import type { BlobStorage } from '@renderkit/blob-storage/blob-storage.ts';
import { addNames, listUnnamed, type NamesPage, pagesOfNames } from './find-unnamed.ts';
import { createFolderFilter } from './folder-filter.ts';
import { type NameSource, type NamingRow, selectNames } from './names-store.ts';

export type MediaCheck = {
  /** Keys that a row names and that have no blob. */
  rows_without_bytes: string[];
  /**
   * Keys of blobs in folders that no row names. With many millions of blobs, a few may be missing, different ones each
   * time.
   */
  bytes_without_rows: string[];
  /** The number of keys checked. */
  checked: number;
};

const looksAtOnce = 16;
/**
 * A younger file may not have its row yet. This is longer than any upload takes; a shorter grace of the reconciliation
 * replaces it.
 */
const minAgeSeconds = 60 * 60;
/** The files of an announced folder need not exist yet. A file made by a render is checked when an account owns it. */
const withoutBytes: ReadonlySet<NameSource> = new Set(['announced', 'made']);

/**
 * Compares the keys in rows with the keys in the storage, while other processes use both. Changes nothing.
 * `reconcile-media.ts` removes files that no row names. `graceSeconds`: the age at which the reconciliation would
 * remove files that no row names.
 */
export async function checkMedia(
  database: Database,
  storage: BlobStorage,
  { graceSeconds = minAgeSeconds, now = new Date() }: { graceSeconds?: number; now?: Date } = {},
): Promise<MediaCheck> {
  const minAgeMs = Math.min(minAgeSeconds, graceSeconds) * 1_000;
  const result: MediaCheck = { rows_without_bytes: [], bytes_without_rows: [], checked: 0 };
  const filter = createFolderFilter();
  for await (const page of pagesOfNames(database)) {
    addNames(filter, page);
    if (withoutBytes.has(page.source)) continue;
    const keys = namesOf(page.rows);
    result.checked += keys.length;
    const missing = await missingOf(storage, keys);
    if (missing.length > 0) result.rows_without_bytes.push(...(await stillNamed(database, page, missing)));
  }
  for await (const keys of listUnnamed(storage, filter, new Date(now.getTime() - minAgeMs))) {
    result.checked += keys.length;
    result.bytes_without_rows.push(...keys);
  }
  return result;
}

async function missingOf(storage: BlobStorage, keys: readonly string[]): Promise<string[]> {
  const blobs = await mapInSlots(looksAtOnce, keys, (key) => storage.open(key));
  return keys.filter((_, i) => blobs[i] === undefined);
}

/** Returns the keys that rows still name: rows may have been deleted since they were read, and their blobs too. */
async function stillNamed(
  database: Database,
  { source, after, rows }: NamesPage,
  missing: readonly string[],
): Promise<string[]> {
  const upTo = rows.at(-1)?.place ?? [];
  const named = new Set(namesOf(await selectNames(database, source, { after, upTo })));
  return missing.filter((key) => named.has(key));
}

function namesOf(rows: readonly NamingRow[]): string[] {
  return rows.flatMap(({ names }) => names);
}
