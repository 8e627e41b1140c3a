import { freshSignInSeconds } from '@renderkit/contract/studio/administration/fresh-sign-in.ts';
import { scopes } from '@renderkit/contract/v1/scopes.ts';
import type { Database, Queryable } from '@renderkit/server-kit/db/database.ts';

/** A session ends when it was not used for this long. `service/src/retention/cleaner.ts` removes the rows. */
export const idle = `interval '7 days'`;
const maxLive = 50;
const freshUntil = `s.authenticated_at + interval '${freshSignInSeconds} seconds'`;

export type AdmittedRow = {
  session_id: string;
  account_id: string;
  email: string | null;
  studio_id: string;
  studio_account_id: string;
  key_id: string;
  /** Until then the person counts as just signed in; null: no longer. */
  fresh_until: Date | null;
  /** Requests of this minute, this one included. */
  requests: number;
  /** Whole seconds until the minute ends. At least 1. */
  seconds_left: number;
};

/**
 * Finds the session of a token, counts the request in its minute, and once a minute records that it was seen. All is
 * one statement, so that an ended session is refused at once. Returns `undefined` when the token belongs to no live
 * session.
 */
export async function admitSession(
  database: Database,
  tokenSha256: string,
): Promise<AdmittedRow | undefined> {
  const rows = await database.rows<AdmittedRow>(
    `with found as materialized (
       select s.id, s.account_id, a.email, a.studio_id, a.studio_account_id, k.id as key_id,
              case when ${freshUntil} > clock() then ${freshUntil} end as fresh_until
         from sessions s
         join accounts a on a.id = s.account_id and a.deleted_at is null
         join api_keys k on k.account_id = s.account_id and k.kind = 'console' and k.revoked_at is null
        where s.token_sha256 = decode($1, 'hex') and s.expires_at > clock() and s.last_seen_at > clock() - ${idle}
     ), seen as (
       update sessions s set last_seen_at = clock() from found
        where s.id = found.id and s.last_seen_at < clock() - interval '1 minute'
     ), counted as (
       insert into rate_windows as w (key_id, minute, requests)
       select id, date_trunc('minute', clock()), 1 from found
       on conflict (key_id, minute) do update set requests = w.requests + 1
       returning requests
     )
     select found.id as session_id, account_id, email, studio_id, studio_account_id, key_id, fresh_until, counted.requests,
            greatest(1, ceil(60 - extract(epoch from clock() - date_trunc('minute', clock()))))::int as seconds_left
       from found, counted`,
    [tokenSha256],
    'session_admit',
  );
  return rows[0];
}

/** Inserts a session. Ends the account's oldest sessions when it has more than fifty. */
export async function insertSession(
  queryable: Queryable,
  session: {
    id: string;
    accountId: string;
    tokenSha256: string;
    lifetimeDays: number;
    userAgent: string | null;
    address: string | null;
    /** Seconds since 1970. */
    authenticatedAt: number | null;
  },
): Promise<void> {
  await queryable.execute(
    // The studio's clock may be ahead of ours. A time that the studio did not report is null, which least() would
    // ignore.
    `insert into sessions (id, account_id, token_sha256, expires_at, user_agent, address, authenticated_at)
     values ($1, $2, decode($3, 'hex'), clock() + $4 * interval '1 day', $5, $6,
       case when $7::float8 is not null then least(to_timestamp($7), clock()) end)`,
    [
      session.id,
      session.accountId,
      session.tokenSha256,
      session.lifetimeDays,
      session.userAgent,
      session.address,
      session.authenticatedAt,
    ],
  );
  await queryable.execute(
    `delete from sessions where id in (
       select id from sessions where account_id = $1 order by created_at desc, id desc offset $2)`,
    [session.accountId, maxLive],
  );
}

/** Ends the session of a token, for any account. */
export async function deleteSessionOfToken(queryable: Queryable, tokenSha256: string): Promise<void> {
  await queryable.execute(`delete from sessions where token_sha256 = decode($1, 'hex')`, [tokenSha256]);
}

/** Returns false when the account has no such session. */
export async function deleteSession(queryable: Queryable, accountId: string, id: string): Promise<boolean> {
  const rowCount = await queryable.execute('delete from sessions where account_id = $1 and id = $2', [
    accountId,
    id,
  ]);
  return rowCount === 1;
}

/**
 * Makes the account's key for what its people do in the console, if there is none. Restores the key if an earlier
 * deletion of the account had revoked it. The key has no secret, so no request can authenticate with it.
 */
export async function keepConsoleKey(
  queryable: Queryable,
  key: { newId: string; accountId: string; name: string; rateLimitPerMinute: number },
): Promise<void> {
  await queryable.execute(
    `insert into api_keys (id, account_id, kind, name, scopes, rate_limit_per_minute)
     values ($1, $2, 'console', $3, $4, $5)
     on conflict (account_id) where kind = 'console'
     do update set revoked_at = null, name = excluded.name, scopes = excluded.scopes`,
    [key.newId, key.accountId, key.name, [...scopes], key.rateLimitPerMinute],
  );
}
