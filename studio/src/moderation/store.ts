import type { Queryable } from '@renderkit/server-kit/db/database.ts';

const rulesSetting = 'moderation_rules';
const fileSetting = 'moderation_file';

export type RulesRow = {
  text: string;
  /** Another one after each change. */
  version: string;
  changed_at: Date;
  /** Of the text of the file that was applied last; empty where a command came first, null where no release has noted it. */
  file_digest: string | null;
};

/** The rules in force; undefined before the first. */
export async function selectRules(queryable: Queryable): Promise<RulesRow | undefined> {
  const [row] = await queryable.rows<RulesRow>(
    `select r.value #>> '{}' as text, r.xmin::text as version, r.changed_at, f.value #>> '{}' as file_digest
     from settings r left join settings f on f.name = $2 where r.name = $1`,
    [rulesSetting, fileSetting],
  );
  return row;
}

/** The version that `selectRules` would name. */
export async function selectRulesVersion(queryable: Queryable): Promise<string | undefined> {
  const [row] = await queryable.rows<{ version: string }>(
    'select xmin::text as version from settings where name = $1',
    [rulesSetting],
    'select_rules_version',
  );
  return row?.version;
}

export function upsertRules(queryable: Queryable, text: string): Promise<void> {
  return upsert(queryable, rulesSetting, text);
}

export function upsertFileDigest(queryable: Queryable, digest: string): Promise<void> {
  return upsert(queryable, fileSetting, digest);
}

async function upsert(queryable: Queryable, name: string, text: string): Promise<void> {
  await queryable.rows(
    `insert into settings (name, value) values ($1, to_jsonb($2::text))
     on conflict (name) do update set value = excluded.value, changed_at = clock()
      where settings.value <> excluded.value`,
    [name, text],
  );
}
