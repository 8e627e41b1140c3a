import { setTimeout as sleep } from 'node:timers/promises';
import type { StudioBalance } from '@renderkit/contract/studio/schemas/account.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createReservedReader, type ReadReserved } from './store.ts';

/** What can be spent now, in 1/1000 credit. Never below 0. */
export type AvailableCredits = { monthly: number; lifetime: number; total: number };

/**
 * Together the pauses take about a second. When the studio stays silent longer, the number is temporarily too low,
 * never too high.
 */
const maxUnconfirmedPauseMs = 512;

// One reader for each database, so that requests of one turn of the event loop share a statement.
const readers = new WeakMap<Database, ReadReserved>();

/**
 * Returns the studio's balance less the costs that accepted generations will still take from it, monthly credits first.
 * Balance, estimate and create all use this number (docs/api.md §8, Credits). The accept decides by the same number:
 * the function spendable_balances computes it again (sql/functions).
 */
export async function availableCredits(
  database: Database,
  accountId: string,
  balance: Pick<StudioBalance, 'monthly_millicredits' | 'lifetime_millicredits' | 'ledger_seq'>,
): Promise<AvailableCredits> {
  let read = readers.get(database);
  if (read === undefined) readers.set(database, (read = createReservedReader(database)));
  const asked = { accountId, ledgerSeq: balance.ledger_seq };
  let { reserved, unconfirmed } = await read(asked);
  // Until the answer to a submit is recorded, it is unknown whether the balance already includes its charge.
  for (let pauseMs = 4; unconfirmed.length > 0 && pauseMs <= maxUnconfirmedPauseMs; pauseMs *= 2) {
    await sleep(pauseMs);
    const now = await read(asked);
    reserved = now.reserved;
    unconfirmed = unconfirmed.filter((id) => now.unconfirmed.includes(id));
  }
  return lessReserved(balance, reserved);
}

/** Subtracts reservations from a balance, from monthly credits first. */
export function lessReserved(
  balance: Pick<StudioBalance, 'monthly_millicredits' | 'lifetime_millicredits'>,
  reserved: number,
): AvailableCredits {
  const monthly = Math.max(0, balance.monthly_millicredits - reserved);
  const beyondMonthly = Math.max(0, reserved - balance.monthly_millicredits);
  const lifetime = Math.max(0, balance.lifetime_millicredits - beyondMonthly);
  return { monthly, lifetime, total: monthly + lifetime };
}
