import type { Database, Queryable } from '@renderkit/server-kit/db/database.ts';

/** `studio/src/moderation/store.ts` has two further names, for the moderation rules. */
export type SettingName =
  | 'studio_id'
  | 'jwks'
  | 'cookie_keys'
  | 'quote_key'
  | 'media_key'
  | 'maintenance'
  | 'media_place'
  | 'media_place_allowed'
  // When the media were last reconciled. Release 1 uses this name.
  | 'media_swept'
  | 'data_files'
  | 'built_in_digest';

export async function readSettings(database: Queryable): Promise<Map<string, unknown>> {
  const rows = await database.rows<{ name: string; value: unknown }>('select name, value from settings');
  return new Map(rows.map(({ name, value }) => [name, value]));
}

/** Stores the value unless one exists. Two processes that start together end up with the same value. */
export async function keepSetting(database: Database, name: SettingName, value: unknown): Promise<void> {
  await database.rows('insert into settings (name, value) values ($1, $2) on conflict (name) do nothing', [
    name,
    JSON.stringify(value),
  ]);
}

export async function writeSetting(database: Queryable, name: SettingName, value: unknown): Promise<void> {
  await database.rows(
    `insert into settings (name, value) values ($1, $2)
     on conflict (name) do update set value = excluded.value, changed_at = clock()`,
    [name, JSON.stringify(value)],
  );
}
