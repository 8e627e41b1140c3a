import type { Queryable } from '@renderkit/server-kit/db/database.ts';

const rulesSetting = 'moderation_rules';
const filesSetting = 'moderation_files';

/** Digests (SHA-256) of the texts of files. */
export type AppliedFiles = {
  /** The file applied last; `null` if a command came first. */
  last: string | null;
  /** All applied files, including the last. */
  before: string[];
};

export type RulesRow = {
  text: string;
  /** Differs after each change. */
  version: string;
  changed_at: Date;
  /** `null`: an earlier release stored only the text. */
  files: AppliedFiles | null;
};

/** Returns the rules in force; `undefined` before the first are stored. */
export async function selectRules(queryable: Queryable): Promise<RulesRow | undefined> {
  const [row] = await queryable.rows<RulesRow>(
    `select r.value #>> '{}' as text, r.xmin::text as version, r.changed_at, f.value as files
     from settings r left join settings f on f.name = $2 where r.name = $1`,
    [rulesSetting, filesSetting],
  );
  return row;
}

/** Returns the version that `selectRules` would return. */
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
