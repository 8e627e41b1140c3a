import type { Database } from '@renderkit/server-kit/db/database.ts';
import { type BlobStorage, partsOf } from '@renderkit/blob-storage/blob-storage.ts';
import { createFolderFilter, type FolderFilter } from './folder-filter.ts';
import { type NameSource, nameSources, type NamingRow, type Place, selectNames } from './names-store.ts';

/** Each row names at most two keys, except for renders that make many files. */
const rowsPerPage = 1_000;

/** Rows of one source in its order, up to `rowsPerPage` after a place. */
export type NamesPage = { source: NameSource; after: Place | undefined; rows: NamingRow[] };

/**
 * Yields all rows that name folders, each row once. A source whose folders pass to another source is read before that
 * source.
 */
export async function* pagesOfNames(database: Database): AsyncGenerator<NamesPage> {
  for (const source of nameSources) {
    let after: Place | undefined;
    for (;;) {
      const rows = await selectNames(database, source, { after, atMost: rowsPerPage });
      const last = rows.at(-1);
      if (last === undefined) break;
      yield { source, after, rows };
      after = last.place;
    }
  }
}

/** Adds the folders that a page names, by key or by folder. */
export function addNames(filter: FolderFilter, { rows }: NamesPage): void {
  for (const { names } of rows) for (const name of names) filter.add(name.split('/', 1)[0] ?? name);
}

/**
 * Yields the keys of blobs that were stored before `storedBefore` and whose folder is not in the filter. Each page of
 * the storage gives one page of keys, which may be empty. The filter must contain all folders named at that time or
 * later.
 */
export async function* listUnnamed(
  storage: BlobStorage,
  filter: FolderFilter,
  storedBefore: Date,
): AsyncGenerator<string[]> {
  for await (const page of storage.list())
    yield page
      .filter(({ key, storedAt }) => {
        const folder = partsOf(key)?.folder;
        return storedAt < storedBefore && folder !== undefined && !filter.mayHave(folder);
      })
      .map(({ key }) => key);
}

/**
 * Yields the keys of blobs that were stored before `storedBefore`, a time in the past, and whose folder no row names.
 * Pages may be empty. A few such keys may be missing, different ones each time. Needs one pass over the names and one
 * over the blobs.
 */
export async function* findUnnamed(
  database: Database,
  storage: BlobStorage,
  storedBefore: Date,
): AsyncGenerator<string[]> {
  const filter = createFolderFilter();
  for await (const page of pagesOfNames(database)) {
    addNames(filter, page);
    yield [];
  }
  yield* listUnnamed(storage, filter, storedBefore);
}
