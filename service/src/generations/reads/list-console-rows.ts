import { promptExcerptCharacters } from '@renderkit/contract/console/limits.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { provenanceIn } from '../provenance.ts';
import { noSuchGeneration } from './read-generation.ts';
import type { KeyedRow, MadeWith, StoredDetail } from './rows.ts';
import {
  type RowFilter,
  selectDetails,
  selectKnown,
  selectMadeWith,
  selectProvenance,
  selectRows,
  selectVideoIds,
} from './console-rows-store.ts';

/**
 * Returns an account's generations with their keys and the beginnings of their prompts, newest first: `limit` from
 * `offset`. For the console; `listGenerations` in `store.ts` makes the list of the HTTP API.
 */
export function listRows(
  database: Database,
  filter: RowFilter & { offset: number; limit: number },
): Promise<KeyedRow[]> {
  return selectRows(database, filter, { ...filter, promptCharacters: promptExcerptCharacters });
}

/**
 * Returns one of an account's generations with its request and how its outputs were made.
 * @throws ApiProblem `not_found`
 */
export async function showGeneration(
  database: Database,
  asked: { id: string; accountId: string },
): Promise<StoredDetail> {
  const [found] = await selectDetails(database, {
    ids: [asked.id],
    accountId: asked.accountId,
    promptCharacters: promptExcerptCharacters,
  });
  if (found === undefined) throw noSuchGeneration();
  return found;
}

/** Returns a page of an account's videos and extensions, by age. `after` is the last item of the page before. */
export async function listVideos(
  database: Database,
  page: Parameters<typeof selectVideoIds>[1],
): Promise<StoredDetail[]> {
  const ids = await selectVideoIds(database, page);
  const found = await selectDetails(database, {
    ids,
    accountId: page.accountId,
    promptCharacters: promptExcerptCharacters,
  });
  return ids.flatMap((id) => found.find(({ row }) => row.id === id) ?? []);
}

/** Returns which of these ids are generations of the account. */
export async function knownGenerations(
  database: Database,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  return new Set(ids.length === 0 ? [] : await selectKnown(database, accountId, ids));
}

/** Returns the seeds of outputs by output id, for the account's generations with the given ids. */
export async function readSeeds(
  database: Database,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const told = ids.length === 0 ? [] : await selectProvenance(database, accountId, ids);
  return new Map(
    told.flatMap(provenanceIn).flatMap(({ id, seed }) => (seed === null ? [] : [[id, seed] as const])),
  );
}

/**
 * Returns how the account's generations with the given ids were made, by id. Leaves out those whose texts were erased.
 */
export async function readMadeWith(
  database: Database,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, MadeWith>> {
  return ids.length === 0 ? new Map() : selectMadeWith(database, accountId, ids);
}
