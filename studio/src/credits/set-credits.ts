import type { Transaction } from '@renderkit/server-kit/db/database.ts';
import { readBalances, refillLocked, writeEntry } from './store.ts';

/** What a new account opens with: its plan's allowance, or exactly `creditsMillicredits`, purchased, until its first renewal. */
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
 * A signed adjustment after which the balance is exactly this much: purchased credits are raised or lowered, and
 * what they cannot cover comes off the monthly ones. The caller holds the account's lock.
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
