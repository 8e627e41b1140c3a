import type { StudioLimits } from '@renderkit/contract/studio/schemas/account.ts';
import type { StudioStorage } from '@renderkit/contract/studio/storage.ts';
import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';
import type { Plan } from '../catalog/plans.ts';

export async function readLimits(
  database: Database,
  account: string,
  client: string,
): Promise<StudioLimits | undefined> {
  const [row] = await database.rows<{ limits: StudioLimits }>(
    'select limits_json($1, $2) as limits',
    [account, client],
    'read_limits',
  );
  return row?.limits;
}

export type NewAccount = {
  id: string;
  email: string;
  name: string | null;
  username: string | null;
  passwordHash: string | null;
  plan: Plan;
};

/** Inserts the row alone, with empty balances: what it opens with is for the ledger. */
export async function insertAccount(transaction: Transaction, account: NewAccount): Promise<void> {
  const { key, limits, monthly_millicredits: allowance, storage_bytes: storageBytes, weight } = account.plan;
  await transaction.execute(
    `insert into accounts (id, email, name, username, password_hash, tier, allowance_millicredits, refill_anchor,
       last_refill_at, next_refill_at, limit_image, limit_edit, limit_video, limit_overall,
       limit_storage_bytes, share)
     values ($1, $2, $3, $4, $5, $6, $7, clock(), clock(), next_refill(clock(), clock()), $8, $9, $10, $11, $12, $13)`,
    [
      account.id,
      account.email,
      account.name,
      account.username,
      account.passwordHash,
      key,
      allowance,
      limits.image,
      limits.edit,
      limits.video,
      limits.overall,
      storageBytes,
      weight,
    ],
  );
}

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
  ledger_seq, (select count(*) from renders r where r.account_id = accounts.id and r.status in ('queued', 'running'))
    as running,
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

export async function selectAccounts(database: Database): Promise<AccountRow[]> {
  return database.rows<AccountRow>(
    `select ${accountRow} from accounts where deleted_at is null order by created_at, id`,
  );
}

/** Takes the lock under which everything of the account changes. */
export async function lockAccount(transaction: Transaction, account: string): Promise<void> {
  await transaction.execute('select from accounts where id = $1 for update', [account]);
}

export type AccountFlags = {
  suspended?: boolean;
  emailVerified?: boolean;
  regionBlocked?: boolean;
  ageVerified?: boolean;
  administrator?: boolean;
};

export async function updateFlags(
  transaction: Transaction,
  account: string,
  flags: AccountFlags,
): Promise<void> {
  await transaction.execute(
    `update accounts set suspended = coalesce($2, suspended),
       email_verified = coalesce($3, email_verified), region_blocked = coalesce($4, region_blocked),
       age_verified = coalesce($5, age_verified), administrator = coalesce($6, administrator) where id = $1`,
    [
      account,
      flags.suspended ?? null,
      flags.emailVerified ?? null,
      flags.regionBlocked ?? null,
      flags.ageVerified ?? null,
      flags.administrator ?? null,
    ],
  );
}

export async function updatePlan(transaction: Transaction, account: string, plan: Plan): Promise<void> {
  await transaction.execute(
    `update accounts set tier = $2, allowance_millicredits = $3, limit_image = $4, limit_edit = $5,
       limit_video = $6, limit_overall = $7, limit_storage_bytes = $8, share = $9 where id = $1`,
    [
      account,
      plan.key,
      plan.monthly_millicredits,
      plan.limits.image,
      plan.limits.edit,
      plan.limits.video,
      plan.limits.overall,
      plan.storage_bytes,
      plan.weight,
    ],
  );
}

/** What the account may store instead of what its plan says; null goes back to the plan. */
export async function updateStorageLimit(
  transaction: Transaction,
  account: string,
  bytes: number | null,
): Promise<void> {
  await transaction.execute('update accounts set storage_override_bytes = $2 where id = $1', [
    account,
    bytes,
  ]);
}

export async function updateFault(database: Database, account: string, fault: string): Promise<void> {
  await database.rows('update accounts set next_fault = $2 where id = $1', [account, fault]);
}

/** Takes the name off an account; its rows in the ledger stay. */
export async function markDeleted(transaction: Transaction, account: string): Promise<void> {
  await transaction.execute(
    `update accounts set email = null, name = null, username = null, password_hash = null, suspended = true,
       deleted_at = coalesce(deleted_at, clock()) where id = $1`,
    [account],
  );
}
