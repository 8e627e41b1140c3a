import type { Database, Transaction } from '@renderkit/server-kit/db/database.ts';

/** The state of an account's connection. Times are by the database's clock. */
export type ConnectionRow = {
  status: 'live' | 'ended';
  version: number;
  access_token_sealed: string | null;
  /** Milliseconds until the access token expires. */
  access_left_ms: number | null;
  /** Whether a process is refreshing, or died during a refresh and its lease has not expired. */
  refreshing: boolean;
  studio_id: string;
  studio_account_id: string;
};

/** Returns `undefined` when the account was never connected, or is gone. */
export async function readConnection(
  database: Database,
  accountId: string,
): Promise<ConnectionRow | undefined> {
  const rows = await database.rows<ConnectionRow>(
    `select c.status, c.version, c.access_token_sealed, a.studio_id, a.studio_account_id,
            (extract(epoch from c.access_expires_at - clock()) * 1000)::float8 as access_left_ms,
            coalesce(c.refresh_lease_until > clock(), false) as refreshing
       from connections c join accounts a on a.id = c.account_id
      where c.account_id = $1`,
    [accountId],
    'connection_read',
  );
  return rows[0];
}

/**
 * Takes the lease to refresh this version for `owner`. Returns the encrypted refresh token, or `undefined` when another
 * process holds the lease.
 */
export async function takeRefresh(
  database: Database,
  lease: { accountId: string; version: number; owner: string; milliseconds: number },
): Promise<string | undefined> {
  const rows = await database.rows<{ refresh_token_sealed: string | null }>(
    `update connections
        set refresh_owner = $3, refresh_lease_until = clock() + $4 * interval '1 millisecond'
      where account_id = $1 and version = $2 and status = 'live' and refresh_token_sealed is not null
        and (refresh_lease_until is null or refresh_lease_until <= clock())
      returning refresh_token_sealed`,
    [lease.accountId, lease.version, lease.owner, lease.milliseconds],
    'connection_take_refresh',
  );
  return rows[0]?.refresh_token_sealed ?? undefined;
}

type Holder = { accountId: string; version: number; owner: string };

/**
 * Stores the result of a refresh if `owner` still holds the lease. Returns the new version, or `undefined` when it does
 * not.
 */
export async function storeRefreshed(
  database: Database,
  holder: Holder,
  tokens: { encryptedAccess: string; accessSeconds: number; encryptedRefresh: string },
): Promise<number | undefined> {
  const rows = await database.rows<{ version: number }>(
    `update connections
        set access_token_sealed = $4, access_expires_at = clock() + $5 * interval '1 second',
            refresh_token_sealed = $6, version = version + 1, refresh_owner = null, refresh_lease_until = null
      where account_id = $1 and version = $2 and refresh_owner = $3 and status = 'live'
      returning version`,
    [
      holder.accountId,
      holder.version,
      holder.owner,
      tokens.encryptedAccess,
      tokens.accessSeconds,
      tokens.encryptedRefresh,
    ],
    'connection_keep_refreshed',
  );
  return rows[0]?.version;
}

/** Ends the lease of a refresh without a result. Any process may repeat the refresh at once. */
export async function abandonRefresh(database: Database, holder: Holder): Promise<void> {
  await database.rows(
    `update connections set refresh_lease_until = clock()
      where account_id = $1 and version = $2 and refresh_owner = $3`,
    [holder.accountId, holder.version, holder.owner],
  );
}

/**
 * Ends a connection whose refresh token the studio no longer accepts. There is no session until somebody connects the
 * account again.
 */
export async function endConnection(database: Database, holder: Holder): Promise<void> {
  await database.rows(
    `update connections
        set status = 'ended', access_token_sealed = null, access_expires_at = null, refresh_token_sealed = null,
            version = version + 1, refresh_owner = null, refresh_lease_until = null
      where account_id = $1 and version = $2 and refresh_owner = $3`,
    [holder.accountId, holder.version, holder.owner],
  );
}

/** Returns accounts whose refresh did not finish: its process died, or no answer came. At most 20, the oldest first. */
export async function abandonedRefreshes(
  database: Database,
): Promise<{ account_id: string; version: number }[]> {
  return database.rows(
    `select account_id, version from connections
      where refresh_owner is not null and refresh_lease_until <= clock() and status = 'live'
      order by refresh_lease_until limit 20`,
  );
}

/** Makes or renews an account and its connection. Returns the account's id, new or old. */
export async function saveConnection(
  database: Database,
  account: {
    newAccountId: string;
    studioId: string;
    studioAccountId: string;
    email: string | null;
    encryptRefreshToken: (accountId: string) => string;
  },
  also?: (transaction: Transaction, accountId: string) => Promise<void>,
): Promise<string> {
  return database.transaction(async (transaction) => {
    const rows = await transaction.rows<{ id: string }>(
      `insert into accounts (id, studio_id, studio_account_id, email) values ($1, $2, $3, $4)
       on conflict (studio_id, studio_account_id) do update set email = excluded.email, deleted_at = null
       returning id`,
      [account.newAccountId, account.studioId, account.studioAccountId, account.email],
    );
    const id = rows[0]?.id;
    if (id === undefined) throw new Error('an upsert of an account gave no row back');
    await transaction.execute(
      `insert into connections (account_id, status, refresh_token_sealed) values ($1, 'live', $2)
       on conflict (account_id) do update
          set status = 'live', access_token_sealed = null, access_expires_at = null,
              refresh_token_sealed = excluded.refresh_token_sealed, version = connections.version + 1,
              refresh_owner = null, refresh_lease_until = null`,
      [id, account.encryptRefreshToken(id)],
    );
    await also?.(transaction, id);
    return id;
  });
}
