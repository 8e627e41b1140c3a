import type { Database } from '@renderkit/server-kit/db/database.ts';

/** Stores a setting if it has no value yet. Returns the value that is stored now. */
export async function keepSetting(database: Database, name: string, value: string): Promise<string> {
  await database.rows('insert into settings (name, value) values ($1, $2) on conflict do nothing', [
    name,
    value,
  ]);
  const [row] = await database.rows<{ value: string }>('select value from settings where name = $1', [name]);
  if (row === undefined) throw new Error(`the setting ${name} is not there`);
  return row.value;
}

export type SecretKeyUse = {
  /** The check value that the first start stored for its key. */
  note: string | undefined;
  /** One of the texts that were encrypted with the key. */
  encrypted: string | undefined;
};

/** Returns what a database holds of SECRET_KEY. Also works before a migration. */
export async function selectSecretKeyUse(database: Database, settingName: string): Promise<SecretKeyUse> {
  const [tables] = await database.rows<{ settings: boolean; connections: boolean; endpoints: boolean }>(
    `select to_regclass('settings') is not null as settings, to_regclass('connections') is not null as connections,
            to_regclass('webhook_endpoints') is not null as endpoints`,
  );
  const find = async (isThere: boolean | undefined, query: string, values: unknown[] = []) =>
    isThere === true ? (await database.rows<{ found: string }>(query, values))[0]?.found : undefined;
  return {
    note: await find(tables?.settings, 'select value as found from settings where name = $1', [settingName]),
    encrypted:
      (await find(
        tables?.connections,
        `select coalesce(refresh_token_sealed, access_token_sealed) as found from connections
          where refresh_token_sealed is not null or access_token_sealed is not null limit 1`,
      )) ?? (await find(tables?.endpoints, 'select secret_sealed as found from webhook_endpoints limit 1')),
  };
}
