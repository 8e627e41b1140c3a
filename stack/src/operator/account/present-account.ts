import { creditsOf } from '@renderkit/contract/studio/credits.ts';
import type * as studio from '@renderkit/studio/operator.ts';
import type { Answer } from '../command.ts';
import { presentStorage, storageLine } from './present-storage.ts';

/** Returns the answer of a command that shows one account. */
export function accountAnswer(row: studio.AccountRow): Answer & { data: object } {
  const account = presentAccount(row);
  return {
    data: account,
    lines: Object.entries({ ...account, storage: storageLine(row) }).map(
      ([name, value]) => `${name.padEnd(16)} ${String(value)}`,
    ),
  };
}

/** Returns an account as the operator sees it, with amounts in credits. */
export function presentAccount(row: studio.AccountRow) {
  return {
    id: row.id,
    email: row.email,
    tier: row.tier,
    credits: creditsOf(row.monthly_millicredits + row.lifetime_millicredits),
    monthly: creditsOf(row.monthly_millicredits),
    lifetime: creditsOf(row.lifetime_millicredits),
    suspended: row.suspended,
    email_verified: row.email_verified,
    region_blocked: row.region_blocked,
    age_verified: row.age_verified,
    administrator: row.administrator,
    storage: presentStorage(row),
  };
}
