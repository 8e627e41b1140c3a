import type { Database } from '@renderkit/server-kit/db/database.ts';
import { type BlobStorage, partsOf } from '@renderkit/blob-storage/blob-storage.ts';
import { createFolderFilter, type FolderFilter } from './folder-filter.ts';
import { type NameSource, nameSources, type NamingRow, type Place, selectNames } from './names-store.ts';

/** Each row names two keys at most, but for renders that make many files. */
const rowsPerPage = 1_000;

/** Rows of one source in its order, all that there are after a place. */
export type NamesPage = { source: NameSource; after: Place | undefined; rows: NamingRow[] };

/** All that names folders, each row once, those of before first that others take folders over from. */
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

/** Adds the folders that a page names, by keys or by themselves. */
export function addNames(filter: FolderFilter, { rows }: NamesPage): void {
  for (const { names } of rows) for (const name of names) filter.add(name.split('/', 1)[0] ?? name);
}

/**
 * Keys of blobs that were stored before the time and whose folder the filter does not have, a page of the storage at a time; a page
 * may be empty. The filter has to hold all that was named at that time or since.
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
 * Keys of blobs that were stored before the time, which is past, and whose folder nothing names, in pages that may be empty. A few that
 * nothing names may be left out, others each time. One pass over the names and one over the blobs.
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
