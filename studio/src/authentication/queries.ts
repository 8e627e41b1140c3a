import type { StudioStorage } from '@renderkit/contract/studio/storage.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';

/** What is known of an account to its calls and to operators. */
export type ToldAccount = {
  id: string;
  email: string | null;
  name: string | null;
  /** Key of its plan. */
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

/** Columns of a row `a` of accounts. */
export const toldAccount = `a.id, a.email, a.name, a.tier, a.suspended, a.email_verified, a.region_blocked, a.age_verified,
  a.administrator, a.monthly_millicredits, a.lifetime_millicredits, a.allowance_millicredits,
  iso_time(a.next_refill_at) as next_refill, a.ledger_seq, storage_json(a) as storage`;

/** What a call needs to know of its account, read with its token in one statement. */
export type AccountFacts = ToldAccount & {
  username: string | null;
  organization: boolean;
  refill_due: boolean;
  styles_version: number;
  next_fault: 'nonsense' | 'rate' | 'concurrency' | 'silence' | null;
};

/** The same as JSON. */
export const accountFacts = `(select row_to_json(facts) from (select ${toldAccount}, a.username, a.organization,
  a.next_refill_at <= clock() as refill_due, a.styles_version, a.next_fault) as facts)`;

/** Read again: after a refill. */
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

export async function isUnderMaintenance(database: Database): Promise<boolean> {
  const [row] = await database.rows<{ on: boolean }>(
    `select coalesce((select value = 'true' from settings where name = 'maintenance'), false) as on`,
    [],
    'is_under_maintenance',
  );
  return row?.on === true;
}
