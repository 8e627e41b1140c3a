import type { Database } from '@renderkit/server-kit/db/database.ts';

export type CountedKey = {
  /** 0-based position in the list of keys that were asked for. */
  position: number;
  key_id: string;
  account_id: string;
  studio_id: string;
  studio_account_id: string;
  /** Joined with commas. */
  scopes: string;
  rate_limit_per_minute: number;
  has_budget: boolean;
  /** Requests of this minute, including the ones counted now. */
  requests: number;
  /** Whole seconds until the minute ends. At least 1. */
  seconds_left: number;
};

// Only keys whose secret matches are counted: a stranger who knows a public id must not use up its minute. The rows are
// written in the order of their keys. Otherwise two processes with the same keys in different orders would wait for
// each other.
const countRequestsStatement = `
  with asked as materialized (
    select asked.position, asked.requests, k.id, k.account_id, k.scopes, k.rate_limit_per_minute,
           k.daily_budget_millicredits is not null as has_budget,
           a.studio_id, a.studio_account_id
      from rows from (unnest(string_to_array($1, ',')), unnest(string_to_array($2, ',')),
                      unnest(string_to_array($3, ',')::int[])) with ordinality
           as asked(public_id, secret_sha256, requests, position)
      join api_keys k on k.public_id = asked.public_id
                     and k.secret_sha256 = decode(asked.secret_sha256, 'hex')
                     and k.revoked_at is null
                     and (k.expires_at is null or k.expires_at > clock())
      join accounts a on a.id = k.account_id and a.deleted_at is null
  ), counted as (
    insert into rate_windows as w (key_id, minute, requests)
    select id, date_trunc('minute', clock()), requests from asked order by id
    on conflict (key_id, minute) do update set requests = w.requests + excluded.requests
    returning key_id, requests
  )
  select json_agg(json_build_array(position - 1, id, account_id, studio_id, studio_account_id,
                                   array_to_string(scopes, ','), rate_limit_per_minute, has_budget)) as keys,
         (select json_object_agg(key_id, requests) from counted) as requests,
         greatest(1, ceil(60 - extract(epoch from clock() - date_trunc('minute', clock()))))::int as seconds_left
    from asked`;

// One row for all keys, because the driver takes twice as long for one row each. The row is JSON because a studio's ids
// may contain any character. This code joins keys and counts, because the database would compare each with each.
type Counted = {
  /** Null when no key matched. */
  keys:
    | [
        position: number,
        keyId: string,
        accountId: string,
        studioId: string,
        studioAccountId: string,
        scopes: string,
        rateLimitPerMinute: number,
        hasBudget: boolean,
      ][]
    | null;
  /** By the id of the key. */
  requests: Record<string, number> | null;
  seconds_left: number;
};

/**
 * Counts requests of several keys in the present minute of the database's clock, in one statement. Each is `{publicId,
 * secretSha256 (hexadecimal), requests}`; a key must appear only once. Keys that match no valid key are not counted and
 * not returned.
 */
export async function countRequests(
  database: Database,
  keys: readonly { publicId: string; secretSha256: string; requests: number }[],
): Promise<CountedKey[]> {
  const rows = await database.rows<Counted>(
    countRequestsStatement,
    [
      keys.map((key) => key.publicId).join(','),
      keys.map((key) => key.secretSha256).join(','),
      keys.map((key) => key.requests).join(','),
    ],
    'admission_count',
  );
  const { keys: found, requests: counted, seconds_left } = rows[0] as Counted;
  return (found ?? []).map(
    ([position, keyId, accountId, studioId, studioAccountId, scopes, rateLimitPerMinute, hasBudget]) => {
      const requests = counted?.[keyId];
      if (requests === undefined) throw new Error(`key ${keyId} was found and not counted`);
      return {
        position,
        key_id: keyId,
        account_id: accountId,
        studio_id: studioId,
        studio_account_id: studioAccountId,
        scopes,
        rate_limit_per_minute: rateLimitPerMinute,
        has_budget: hasBudget,
        requests,
        seconds_left,
      };
    },
  );
}

/** Records when keys were last used, `secondsAgo` before the database's present time. Skips rows that are locked. */
export async function noteLastUse(
  database: Database,
  uses: readonly { keyId: string; secondsAgo: number }[],
): Promise<void> {
  await database.rows(
    `with used as (
       select k.id, clock() - u.seconds_ago * interval '1 second' as at
         from unnest($1::text[], $2::float8[]) as u(id, seconds_ago) join api_keys k on k.id = u.id
        order by k.id for no key update of k skip locked
     )
     update api_keys k set last_used_at = used.at from used
      where k.id = used.id and (k.last_used_at is null or k.last_used_at < used.at)`,
    [uses.map((use) => use.keyId), uses.map((use) => use.secondsAgo)],
  );
}
