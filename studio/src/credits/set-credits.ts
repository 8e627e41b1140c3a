import type { Transaction } from '@renderkit/server-kit/db/database.ts';
import { readBalances, refillLocked, writeEntry } from './store.ts';

/**
 * Writes a new account's opening balance: the plan's allowance, or exactly `creditsMillicredits`, purchased, until the
 * first renewal. `studio/sql/functions/charge.sql` and `refund.sql` beside it write what renders cost.
 */
export async function openBalance(
  transaction: Transaction,
  account: string,
  open: { allowanceMillicredits: number; creditsMillicredits: number | undefined },
): Promise<void> {
  const amountMillicredits = open.creditsMillicredits ?? open.allowanceMillicredits;
  const bucket = open.creditsMillicredits === undefined ? 'monthly' : 'lifetime';
  await writeEntry(transaction, account, { kind: 'opening', bucket, amountMillicredits });
}

/**
 * Writes a signed adjustment so that the balance becomes exactly this amount. Raises or lowers the purchased credits;
 * takes from the monthly credits what the purchased ones cannot cover. The caller must hold the account's lock.
 */
export async function setBalance(
  transaction: Transaction,
  account: string,
  targetMillicredits: number,
): Promise<void> {
  await refillLocked(transaction, account);
  const balances = await readBalances(transaction, account);
  if (balances === undefined) return;
  const { monthly_millicredits: monthly, lifetime_millicredits: lifetime } = balances;
  const difference = targetMillicredits - monthly - lifetime;
  const fromLifetime = Math.max(difference, -lifetime);
  const adjust = (bucket: 'monthly' | 'lifetime', amountMillicredits: number) =>
    writeEntry(transaction, account, { kind: 'adjustment', bucket, amountMillicredits });
  if (fromLifetime !== 0) await adjust('lifetime', fromLifetime);
  if (difference !== fromLifetime) await adjust('monthly', difference - fromLifetime);
}
