import type { Scope } from '@renderkit/contract/v1/scopes.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';

/** Returns those of the given keys that are no longer valid. */
export async function readUnusableKeys(database: Database, keyIds: readonly string[]): Promise<string[]> {
  const rows = await database.rows<{ id: string }>(
    'select id from api_keys where id = any ($1) and (revoked_at is not null or expires_at <= clock())',
    [keyIds],
    'keys_unusable',
  );
  return rows.map(({ id }) => id);
}

type ShownKey = {
  id: string;
  name: string;
  scopes: Scope[];
  created_at: Date;
  expires_at: Date | null;
  rate_limit_per_minute: number;
  daily_budget_millicredits: number | null;
  confirm_above_millicredits: number | null;
  committed_millicredits: number;
  /** The end of the UTC day. */
  resets_at: Date;
};

/** Returns a key with what it has committed today. */
export async function readKeyOfToday(database: Database, keyId: string): Promise<ShownKey | undefined> {
  const [row] = await database.rows<ShownKey>(
    `select k.id, k.name, k.scopes, k.created_at, k.expires_at, k.rate_limit_per_minute, k.daily_budget_millicredits,
            k.confirm_above_millicredits, coalesce(today.committed_millicredits, 0) as committed_millicredits,
            (date_trunc('day', clock() at time zone 'UTC') + interval '1 day') at time zone 'UTC' as resets_at
       from api_keys k left join committed_today() today on today.key_id = k.id
      where k.id = $1`,
    [keyId],
    'keys_of_today',
  );
  return row;
}
