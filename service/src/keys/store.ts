import type { Scope } from '@renderkit/contract/v1/scopes.ts';
import type { Database } from '@renderkit/server-kit/database.ts';

export type KeyRow = {
  id: string;
  account_id: string;
  public_id: string;
  name: string;
  scopes: Scope[];
  daily_budget_millicredits: number | null;
  rate_limit_per_minute: number;
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
  /** Null: for ever. */
  expiresInDays: number | null;
};

/** Inserts a key unless the account is gone or has `maxActive` active ones. */
export function insertKey(
  database: Database,
  key: NewKeyRow,
  maxActive: number,
): Promise<'inserted' | 'no_account' | 'too_many'> {
  return database.transaction(async (transaction) => {
    // The lock makes two that would both be the last one come one after the other.
    const { rowCount } = await transaction.query(
      'select 1 from accounts where id = $1 and deleted_at is null for no key update',
      [key.accountId],
    );
    if (rowCount === 0) return 'no_account';
    const result = await transaction.query(
      `insert into api_keys (id, account_id, public_id, secret_sha256, name, scopes, daily_budget_millicredits,
                             rate_limit_per_minute, expires_at)
       select $1, $2, $3, decode($4, 'hex'), $5, $6, $7, $8, clock() + $9 * interval '1 day'
        where (select count(*) from api_keys
                where account_id = $2 and revoked_at is null and (expires_at is null or expires_at > clock())) < $10`,
      [
        key.id,
        key.accountId,
        key.publicId,
        key.secretSha256,
        key.name,
        key.scopes,
        key.dailyBudgetMillicredits,
        key.rateLimitPerMinute,
        key.expiresInDays,
        maxActive,
      ],
    );
    return result.rowCount === 1 ? 'inserted' : 'too_many';
  });
}

/** All keys of an account, newest first. */
export function selectKeys(database: Database, accountId: string): Promise<KeyRow[]> {
  return database.rows<KeyRow>(
    `select id, account_id, public_id, name, scopes, daily_budget_millicredits, rate_limit_per_minute, created_at,
            expires_at, revoked_at, last_used_at,
            revoked_at is null and (expires_at is null or expires_at > clock()) as active
       from api_keys where account_id = $1 order by created_at desc, id desc`,
    [accountId],
  );
}

/** Marks as revoked what is not yet; the ids of those that exist, revoked before or now. */
export async function markRevoked(
  database: Database,
  which: { keyId: string } | { accountId: string },
): Promise<string[]> {
  const column = 'keyId' in which ? 'id' : 'account_id';
  const rows = await database.rows<{ id: string }>(
    `update api_keys set revoked_at = coalesce(revoked_at, clock()) where ${column} = $1 returning id`,
    ['keyId' in which ? which.keyId : which.accountId],
  );
  return rows.map(({ id }) => id);
}

/** Tells every process that these keys are valid no longer. */
export async function notifyRevoked(database: Database, channel: string, keyIds: string[]): Promise<void> {
  await database.rows('select pg_notify($1, id) from unnest($2::text[]) as id', [channel, keyIds]);
}
