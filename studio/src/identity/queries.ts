import type { Database } from '@renderkit/server-kit/db/database.ts';

/** Removes expired payloads, a batch at a time. */
export async function deleteExpired(database: Database, atMost: number): Promise<number> {
  const rowCount = await database.execute(
    `delete from oidc_payloads where ctid = any(array(
       select ctid from oidc_payloads where expires_at < clock() - interval '1 hour' limit $1))`,
    [atMost],
  );
  return rowCount;
}

/** Removes ended windows of tries, a batch at a time. `identity/src/passwords/throttle.ts` has their length. */
export async function deleteEndedWindows(database: Database, atMost: number): Promise<number> {
  const rowCount = await database.execute(
    `delete from sign_in_attempts where ctid = any(array(
       select ctid from sign_in_attempts where window_ends_at <= clock() limit $1))`,
    [atMost],
  );
  return rowCount;
}
