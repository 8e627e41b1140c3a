import type { StudioStorage } from '@renderkit/contract/studio/storage.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';

/** What a call needs to know of its account, read with its token in one statement. */
export type AccountFacts = {
  id: string;
  email: string | null;
  name: string | null;
  username: string | null;
  /** Key of its plan. */
  tier: string;
  organization: boolean;
  age_verified: boolean;
  email_verified: boolean;
  suspended: boolean;
  administrator: boolean;
  region_blocked: boolean;
  monthly_millicredits: number;
  lifetime_millicredits: number;
  allowance_millicredits: number;
  next_refill: string;
  refill_due: boolean;
  ledger_seq: number;
  styles_version: number;
  next_fault: 'nonsense' | 'rate' | 'concurrency' | 'silence' | null;
  storage: StudioStorage;
};

/** Of a row `a` of accounts. */
export const accountFacts = `json_build_object('id', a.id, 'email', a.email, 'name', a.name, 'username', a.username,
  'tier', a.tier, 'organization', a.organization, 'age_verified', a.age_verified,
  'email_verified', a.email_verified, 'suspended', a.suspended, 'administrator', a.administrator, 'region_blocked', a.region_blocked,
  'monthly_millicredits', a.monthly_millicredits, 'lifetime_millicredits', a.lifetime_millicredits,
  'allowance_millicredits', a.allowance_millicredits, 'next_refill', iso_time(a.next_refill_at),
  'refill_due', a.next_refill_at <= clock(), 'ledger_seq', a.ledger_seq, 'styles_version', a.styles_version,
  'next_fault', a.next_fault, 'storage', storage_json(a))`;

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
