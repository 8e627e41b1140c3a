import type { Queryable, Transaction } from '@renderkit/server-kit/db/database.ts';
import type { Plan } from './plans.ts';

/**
 * Takes, for the rest of the transaction, the lock under which everything published changes. A transaction that needs
 * more locks must take this one first, then those of accounts in the order of their ids.
 */
export async function lockCatalog(transaction: Transaction): Promise<void> {
  await transaction.execute('select from catalog_revision for update');
}

/** Makes every process read the catalog again. Part of each transaction that changes what is published or paused. */
export async function growRevision(transaction: Transaction): Promise<void> {
  await transaction.execute('update catalog_revision set revision = revision + 1');
}

/** Reads the revision, which grows with every publication and with operators' changes of backends. */
export async function readRevision(database: Queryable): Promise<number> {
  const [row] = await database.rows<{ revision: number }>(
    'select revision from catalog_revision',
    [],
    'read_catalog_revision',
  );
  return row?.revision ?? 0;
}

/**
 * Returns the current plans and keeps them unchanged until the end of the transaction. So an account that is given a
 * plan has that plan's limits, whatever is published meanwhile. The caller must call this before it locks accounts.
 */
export async function readPlans(transaction: Transaction): Promise<readonly Plan[]> {
  // A separate statement takes the lock: a statement that waited for the lock would still see the old versions.
  await transaction.execute(`select from published_lists where name = 'plans' for share`);
  const [row] = await transaction.rows<{ content: Plan[] }>(
    `select c.content from published_lists p join catalog_lists c using (name, version) where p.name = 'plans'`,
  );
  return row?.content ?? [];
}

/** Reads the texts that a version's routes name, by those names. */
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
