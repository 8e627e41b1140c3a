import type { Database } from '@renderkit/server-kit/database.ts';

/** Keeps a setting if it has no value yet, and gives back the one it has. */
export async function keepSetting(database: Database, name: string, value: string): Promise<string> {
  await database.rows('insert into settings (name, value) values ($1, $2) on conflict do nothing', [
    name,
    value,
  ]);
  const [row] = await database.rows<{ value: string }>('select value from settings where name = $1', [name]);
  if (row === undefined) throw new Error(`the setting ${name} is not there`);
  return row.value;
}
