import type { Scope } from '@renderkit/contract/v1/scopes.ts';
import type { Database, Queryable } from '@renderkit/server-kit/db/database.ts';

export type KeyRow = {
  id: string;
  account_id: string;
  public_id: string;
  name: string;
  scopes: Scope[];
  daily_budget_millicredits: number | null;
  rate_limit_per_minute: number;
  /** Null: no confirmation is ever needed. */
  confirm_above_millicredits: number | null;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  /** Neither revoked nor expired. */
  active: boolean;
};

export type NewKeyRow = {
  id: string;
  accountId: string;
  publicId: string;
  /** Hexadecimal. */
  secretSha256: string;
  name: string;
  scopes: readonly Scope[];
  dailyBudgetMillicredits: number | null;
  rateLimitPerMinute: number;
  confirmAboveMillicredits: number | null;
  /** Null: never expires. */
  expiresInDays: number | null;
};

/** Inserts a key unless the account is gone or has `maxActive` active keys. */
export async function insertKey(
  transaction: Queryable,
  key: NewKeyRow,
  maxActive: number,
): Promise<'inserted' | 'no_account' | 'too_many'> {
  // The lock makes concurrent inserts run one after the other, so that both cannot be the last allowed key.
  const rowCount = await transaction.execute(
    'select 1 from accounts where id = $1 and deleted_at is null for no key update',
    [key.accountId],
  );
  if (rowCount === 0) return 'no_account';
  const inserted = await transaction.execute(
    `insert into api_keys (id, account_id, public_id, secret_sha256, name, scopes, daily_budget_millicredits,
                           rate_limit_per_minute, confirm_above_millicredits, expires_at)
     select $1, $2, $3, decode($4, 'hex'), $5, $6, $7, $8, $9, clock() + $10 * interval '1 day'
      where (select count(*) from api_keys
              where account_id = $2 and kind = 'secret' and ${isActive}) < $11`,
    [
      key.id,
      key.accountId,
      key.publicId,
      key.secretSha256,
      key.name,
      key.scopes,
      key.dailyBudgetMillicredits,
      key.rateLimitPerMinute,
      key.confirmAboveMillicredits,
      key.expiresInDays,
      maxActive,
    ],
  );
  return inserted === 1 ? 'inserted' : 'too_many';
}

const isActive = 'revoked_at is null and (expires_at is null or expires_at > clock())';

// Nobody holds the key that the console spends under, so these queries leave it out.
const keys = `select id, account_id, public_id, name, scopes, daily_budget_millicredits, rate_limit_per_minute,
    confirm_above_millicredits, created_at, expires_at, revoked_at, last_used_at, ${isActive} as active
  from api_keys where kind = 'secret'`;

/** Returns at most `atMost` keys of an account, newest first: the active ones, then the newest ended ones. */
export function selectKeys(database: Database, accountId: string, atMost: number): Promise<KeyRow[]> {
  return database.rows<KeyRow>(
    `${keys} and id in (
       select id from api_keys where account_id = $1 and kind = 'secret'
        order by ${isActive} desc, created_at desc, id desc limit $2)
      order by created_at desc, id desc`,
    [accountId, atMost],
  );
}

/** Returns one key; `undefined` when the account has no key with that id. Without an account: a key of any account. */
export async function selectKey(
  queryable: Queryable,
  keyId: string,
  options: { accountId?: string | undefined; lock?: boolean } = {},
): Promise<KeyRow | undefined> {
  const rows = await queryable.rows<KeyRow>(
    `${keys} and id = $1 and account_id = coalesce($2, account_id) ${options.lock ? 'for no key update' : ''}`,
    [keyId, options.accountId ?? null],
  );
  return rows[0];
}

/**
 * Blocks creates of an account from being accepted until the transaction ends. A create that saw the key's old state
 * has committed before; a later create sees the new state.
 */
export async function lockAccount(transaction: Queryable, accountId: string): Promise<void> {
  await transaction.execute('select 1 from accounts where id = $1 for no key update', [accountId]);
}

export async function saveKey(
  transaction: Queryable,
  key: Pick<
    KeyRow,
    'id' | 'name' | 'daily_budget_millicredits' | 'rate_limit_per_minute' | 'confirm_above_millicredits'
  >,
): Promise<void> {
  await transaction.execute(
    `update api_keys set name = $2, daily_budget_millicredits = $3, rate_limit_per_minute = $4,
                         confirm_above_millicredits = $5
      where id = $1`,
    [
      key.id,
      key.name,
      key.daily_budget_millicredits,
      key.rate_limit_per_minute,
      key.confirm_above_millicredits,
    ],
  );
}

export async function markRevoked(transaction: Queryable, keyId: string): Promise<void> {
  await transaction.execute('update api_keys set revoked_at = clock() where id = $1 and revoked_at is null', [
    keyId,
  ]);
}

/**
 * Marks all keys of an account as revoked, including the console's own key. Returns their ids, also of those revoked
 * before.
 */
export async function markAllRevoked(transaction: Queryable, accountId: string): Promise<string[]> {
  const rows = await transaction.rows<{ id: string }>(
    'update api_keys set revoked_at = coalesce(revoked_at, clock()) where account_id = $1 returning id',
    [accountId],
  );
  return rows.map(({ id }) => id);
}

/** Notifies every process that these keys are no longer valid. */
export async function notifyRevoked(queryable: Queryable, channel: string, keyIds: string[]): Promise<void> {
  await queryable.execute('select pg_notify($1, id) from unnest($2::text[]) as id', [channel, keyIds]);
}
