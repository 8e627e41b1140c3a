import type { StudioStorage } from '@renderkit/contract/studio/storage.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';

export type AccountRow = {
  id: string;
  email: string | null;
  name: string | null;
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
  running: number;
  limits: { image: number; edit: number; video: number; overall: number };
  storage: StudioStorage;
  /** Whether the operator set the limit instead of the plan. */
  storage_set: boolean;
  created_at: string;
};

const accountRow = `id, email, name, tier, suspended, email_verified, region_blocked, age_verified, administrator,
  monthly_millicredits, lifetime_millicredits, allowance_millicredits, iso_time(next_refill_at) as next_refill,
  ledger_seq, (select count(*) from renders r where r.account_id = accounts.id and r.status in ('queued', 'running')
    and r.completed_at is null) as running,
  json_build_object('image', limit_image, 'edit', limit_edit, 'video', limit_video, 'overall', limit_overall) as limits,
  storage_json(accounts) as storage, storage_override_bytes is not null as storage_set,
  iso_time(created_at) as created_at`;

export async function findAccountByEmail(database: Database, email: string): Promise<AccountRow | undefined> {
  const [row] = await database.rows<AccountRow>(
    `select ${accountRow} from accounts where lower(email) = lower($1)`,
    [email],
  );
  return row;
}

export async function listAccounts(database: Database): Promise<AccountRow[]> {
  return database.rows<AccountRow>(
    `select ${accountRow} from accounts where deleted_at is null order by created_at, id`,
  );
}

export async function updateFault(database: Database, account: string, fault: string): Promise<void> {
  await database.rows('update accounts set next_fault = $2 where id = $1', [account, fault]);
}

/** Removes links that have ended, a batch at a time. */
export async function deleteEndedResets(database: Database, atMost: number): Promise<number> {
  const rowCount = await database.execute(
    `delete from password_resets where ctid = any(array(
       select ctid from password_resets where expires_at <= clock() limit $1))`,
    [atMost],
  );
  return rowCount;
}
