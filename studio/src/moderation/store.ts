import type { Queryable } from '@renderkit/server-kit/db/database.ts';

const rulesSetting = 'moderation_rules';
const filesSetting = 'moderation_files';

/** Digests (SHA-256) of the texts of files. */
export type AppliedFiles = {
  /** Applied last; null where a command came first. */
  last: string | null;
  /** Every one that was, the last too. */
  before: string[];
};

export type RulesRow = {
  text: string;
  /** Another one after each change. */
  version: string;
  changed_at: Date;
  /** Null where nothing of them was noted: an earlier release noted the text alone. */
  files: AppliedFiles | null;
};

/** The rules in force; undefined before the first. */
export async function selectRules(queryable: Queryable): Promise<RulesRow | undefined> {
  const [row] = await queryable.rows<RulesRow>(
    `select r.value #>> '{}' as text, r.xmin::text as version, r.changed_at, f.value as files
     from settings r left join settings f on f.name = $2 where r.name = $1`,
    [rulesSetting, filesSetting],
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

export function upsertAppliedFiles(queryable: Queryable, files: AppliedFiles): Promise<void> {
  return upsert(queryable, filesSetting, files);
}

async function upsert(queryable: Queryable, name: string, value: unknown): Promise<void> {
  await queryable.rows(
    `insert into settings (name, value) values ($1, $2::jsonb)
     on conflict (name) do update set value = excluded.value, changed_at = clock()
      where settings.value <> excluded.value`,
    [name, JSON.stringify(value)],
  );
}
