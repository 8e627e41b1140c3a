import type { StudioStorage } from '@renderkit/contract/studio/storage.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';

/** The facts about an account for its calls and for operators. */
export type ToldAccount = {
  id: string;
  email: string | null;
  name: string | null;
  /** Key of the account's plan. */
  tier: string;
  suspended: boolean;
  email_verified: boolean;
  region_blocked: boolean;
  age_verified: boolean;
  administrator: boolean;
  monthly_millicredits: number;
  lifetime_millicredits: number;
  allowance_millicredits: number;
  next_refill: string;
  ledger_seq: number;
  storage: StudioStorage;
};

/** Columns of a row of `accounts` with the alias `a`. */
export const toldAccount = `a.id, a.email, a.name, a.tier, a.suspended, a.email_verified, a.region_blocked, a.age_verified,
  a.administrator, a.monthly_millicredits, a.lifetime_millicredits, a.allowance_millicredits,
  iso_time(a.next_refill_at) as next_refill, a.ledger_seq, storage_json(a) as storage`;

/** The facts about an account that a call needs, read with its token in one statement. */
export type AccountFacts = ToldAccount & {
  username: string | null;
  organization: boolean;
  refill_due: boolean;
  styles_version: number;
  next_fault: 'nonsense' | 'rate' | 'concurrency' | 'silence' | null;
};

/** An expression that returns `AccountFacts` as JSON. */
export const accountFacts = `(select row_to_json(facts) from (select ${toldAccount}, a.username, a.organization,
  a.next_refill_at <= clock() as refill_due, a.styles_version, a.next_fault) as facts)`;

/** Reads the facts again after a refill. */
export async function readAccountFacts(
  database: Database,
  accountId: string,
): Promise<AccountFacts | undefined> {
  const [row] = await database.rows<{ account: AccountFacts }>(
    `select ${accountFacts} as account from accounts a where id = $1 and deleted_at is null`,
    [accountId],
    'read_account_facts',
  );
  return row?.account;
}

/**
 * For callers without an account; `findBearers` in `store.ts` reads the same setting. `refuseUnderMaintenance` in
 * `authenticate.ts` refuses.
 */
export async function isUnderMaintenance(database: Database): Promise<boolean> {
  const [row] = await database.rows<{ on: boolean }>(
    `select coalesce((select value = 'true' from settings where name = 'maintenance'), false) as on`,
    [],
    'is_under_maintenance',
  );
  return row?.on === true;
}
