import { promptExcerptCharacters } from '@renderkit/contract/console/limits.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { noSuchGeneration } from './read-generation.ts';
import {
  type KeyedRow,
  type RowFilter,
  selectDetail,
  selectKnown,
  selectRows,
  selectSeeds,
  type StoredDetail,
} from './rows-store.ts';

export type { KeyedRow } from './rows-store.ts';

/** An account's generations with their keys and how their prompts begin, newest first; `limit` from `offset` on. */
export function listRows(
  database: Database,
  filter: RowFilter & { offset: number; limit: number },
): Promise<KeyedRow[]> {
  return selectRows(database, filter, { ...filter, promptCharacters: promptExcerptCharacters });
}

/**
 * One of an account's generations with its request and how its outputs were made.
 * @throws ApiProblem `not_found`
 */
export async function showGeneration(
  database: Database,
  asked: { id: string; accountId: string },
): Promise<StoredDetail> {
  const found = await selectDetail(database, { ...asked, promptCharacters: promptExcerptCharacters });
  if (found === undefined) throw noSuchGeneration();
  return found;
}

/** Which of these ids are generations of the account. */
export async function knownGenerations(
  database: Database,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  return new Set(ids.length === 0 ? [] : await selectKnown(database, accountId, ids));
}

/** The seeds of an account's generations by their ids, where one was asked for. */
export async function readSeeds(
  database: Database,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = ids.length === 0 ? [] : await selectSeeds(database, accountId, ids);
  return new Map(rows.flatMap(({ id, seed }) => (seed === null || seed < 0 ? [] : [[id, seed] as const])));
}
