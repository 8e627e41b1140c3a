import type { Queryable, Transaction } from '@renderkit/server-kit/db/database.ts';
import type { Plan } from './plans.ts';

/**
 * Takes the lock under which everything published changes, for the rest of the transaction. Whoever takes more locks
 * takes this one first, then those of accounts in the order of their ids.
 */
export async function lockCatalog(transaction: Transaction): Promise<void> {
  await transaction.execute('select from catalog_revision for update');
}

/** Has every process read the catalog again: part of each transaction that changes what is published or paused. */
export async function growRevision(transaction: Transaction): Promise<void> {
  await transaction.execute('update catalog_revision set revision = revision + 1');
}

/** Grows with every publication, and with what operators change of backends. */
export async function readRevision(database: Queryable): Promise<number> {
  const [row] = await database.rows<{ revision: number }>(
    'select revision from catalog_revision',
    [],
    'read_catalog_revision',
  );
  return row?.revision ?? 0;
}

/**
 * The plans as they are now. Within a transaction they stay so to its end: an account that is given one of them has its
 * limits, whatever is published meanwhile. Taken before locks of accounts.
 */
export async function readPlans(transaction: Transaction): Promise<readonly Plan[]> {
  // Locked by a statement of its own: one that waited for the lock would still see the versions of before.
  await transaction.execute(`select from published_lists where name = 'plans' for share`);
  const [row] = await transaction.rows<{ content: Plan[] }>(
    `select c.content from published_lists p join catalog_lists c using (name, version) where p.name = 'plans'`,
  );
  return row?.content ?? [];
}

/** Texts that a version's routes name, by those names. */
export async function readVersionFiles(
  database: Queryable,
  model: string,
  version: number,
): Promise<ReadonlyMap<string, string>> {
  const [row] = await database.rows<{ files: Record<string, string> }>(
    'select files from model_versions where model_id = $1 and version = $2',
    [model, version],
  );
  return new Map(Object.entries(row?.files ?? {}));
}
