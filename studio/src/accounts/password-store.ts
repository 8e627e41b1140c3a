import type { Queryable, Transaction } from '@renderkit/server-kit/db/database.ts';

/**
 * Sets a password if the account's password still has this version, or in any case if `version` is `undefined`. Returns
 * the new version, or `undefined` when nothing was changed.
 */
export async function updatePassword(
  transaction: Transaction,
  account: string,
  passwordHash: string,
  version: number | undefined,
): Promise<number | undefined> {
  const rows = await transaction.rows<{ password_version: number }>(
    `update accounts set password_hash = $2, password_version = password_version + 1
     where id = $1 and deleted_at is null and ($3::integer is null or password_version = $3)
     returning password_version`,
    [account, passwordHash, version ?? null],
  );
  return rows[0]?.password_version;
}

/** Stores a reset link in place of the account's older one. Returns when the new link expires. */
export async function replaceReset(
  transaction: Transaction,
  account: string,
  tokenHash: string,
  lifetimeSeconds: number,
): Promise<string> {
  const rows = await transaction.rows<{ expires_at: string }>(
    `insert into password_resets as r (account_id, token_hash, expires_at)
     values ($1, $2, clock() + $3 * interval '1 second')
     on conflict (account_id) do update set token_hash = excluded.token_hash, created_at = excluded.created_at,
       expires_at = excluded.expires_at
     returning iso_time(expires_at) as expires_at`,
    [account, tokenHash, lifetimeSeconds],
  );
  if (rows[0] === undefined) throw new Error('an upsert returned no row');
  return rows[0].expires_at;
}

export type ResetRow = { account_id: string; email: string };

/** Returns the account whose password a valid link may set. */
export async function findReset(queryable: Queryable, tokenHash: string): Promise<ResetRow | undefined> {
  const rows = await queryable.rows<ResetRow>(
    `select r.account_id, a.email from password_resets r join accounts a on a.id = r.account_id
     where r.token_hash = $1 and r.expires_at > clock() and a.deleted_at is null`,
    [tokenHash],
  );
  return rows[0];
}

/** Uses up a link. Returns `false` when the link is no longer valid. */
export async function takeReset(transaction: Transaction, tokenHash: string): Promise<boolean> {
  const rowCount = await transaction.execute(
    'delete from password_resets where token_hash = $1 and expires_at > clock()',
    [tokenHash],
  );
  return rowCount === 1;
}

/** Removes the account's sessions in all browsers. */
export async function deleteSessions(queryable: Queryable, accountId: string): Promise<void> {
  await queryable.execute(`delete from oidc_payloads where model = 'Session' and account_id = $1`, [
    accountId,
  ]);
}

export async function deleteResetOf(transaction: Transaction, account: string): Promise<void> {
  await transaction.execute('delete from password_resets where account_id = $1', [account]);
}
