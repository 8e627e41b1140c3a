import type { Database } from '@renderkit/server-kit/db/database.ts';

const setting = 'moderation_rules';

/** The text of the rules that were last in force; undefined before the first. */
export async function selectLastRules(database: Database): Promise<string | undefined> {
  const [row] = await database.rows<{ text: string }>(
    `select value #>> '{}' as text from settings where name = $1`,
    [setting],
  );
  return row?.text;
}

export async function upsertLastRules(database: Database, text: string): Promise<void> {
  await database.rows(
    `insert into settings (name, value) values ($1, to_jsonb($2::text))
     on conflict (name) do update set value = excluded.value, changed_at = clock()
      where settings.value <> excluded.value`,
    [setting, text],
  );
}
