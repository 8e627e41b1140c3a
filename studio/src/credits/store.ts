import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';

/**
 * Came with the plan, or bought. `studio/sql/functions/charge.sql` takes `monthly` first; `refund.sql` beside it gives
 * credits back.
 */
export type Bucket = 'monthly' | 'lifetime';

export async function refillAccount(database: Database, account: string): Promise<void> {
  await database.rows('select refill($1)', [account]);
}

export async function refillLocked(transaction: Transaction, account: string): Promise<void> {
  await transaction.execute('select refill($1)', [account]);
}

/**
 * Writes one entry and the resulting balance. The caller must hold the account's lock. Amounts in 1/1000 credit,
 * signed.
 */
export async function writeEntry(
  transaction: Transaction,
  account: string,
  entry: { kind: 'opening' | 'grant' | 'adjustment' | 'expiry'; bucket: Bucket; amountMillicredits: number },
): Promise<void> {
  await transaction.execute('select write_ledger($1, $2, $3, $4, null)', [
    account,
    entry.kind,
    entry.bucket,
    entry.amountMillicredits,
  ]);
}

export async function readBalances(
  transaction: Transaction,
  account: string,
): Promise<{ monthly_millicredits: number; lifetime_millicredits: number } | undefined> {
  const rows = await transaction.rows<{ monthly_millicredits: number; lifetime_millicredits: number }>(
    'select monthly_millicredits, lifetime_millicredits from accounts where id = $1',
    [account],
  );
  return rows[0];
}

/** Returns accounts whose renewal is due and was not yet made by a call. */
export async function accountsDue(database: Database, atMost: number): Promise<string[]> {
  const rows = await database.rows<{ id: string }>(
    'select id from accounts where next_refill_at <= clock() and deleted_at is null order by next_refill_at limit $1',
    [atMost],
  );
  return rows.map(({ id }) => id);
}
