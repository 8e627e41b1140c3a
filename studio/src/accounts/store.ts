import type { StudioLimits } from '@renderkit/contract/studio/schemas/account.ts';
import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';
import type { Plan } from '../catalog/plans.ts';

/** Reads the limits to show them; `studio/sql/functions/accept_renders.sql` enforces them. */
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

/** Inserts only the row, with empty balances; the ledger adds the opening balance. */
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

/** Locks the account; every change of an account takes this lock. */
export async function lockAccount(transaction: Transaction, account: string): Promise<void> {
  await transaction.execute('select from accounts where id = $1 for update', [account]);
}

/**
 * `account-state.ts` says which flags keep the account from working, `contract/studio/age.ts` what `ageVerified`
 * allows.
 */
export type AccountFlags = {
  suspended?: boolean;
  emailVerified?: boolean;
  regionBlocked?: boolean;
  ageVerified?: boolean;
  /**
   * May manage backends, models, plans and styles as an operator's commands do. Checked by
   * `studio/src/administration/asker.ts`.
   */
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

/** Sets how many bytes the account may store, in place of the plan's limit. `null` restores the plan's limit. */
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

/** Removes the name and the password of an account; its rows in the ledger stay. */
export async function markDeleted(transaction: Transaction, account: string): Promise<void> {
  await transaction.execute(
    `update accounts set email = null, name = null, username = null, password_hash = null, suspended = true,
       deleted_at = coalesce(deleted_at, clock()) where id = $1`,
    [account],
  );
}
