import type { Database } from '@renderkit/server-kit/db/database.ts';

/** The settings that a person chose for an account. `service/src/downloads/download-items.ts` applies them. */
export type SettingsRow = { recipes_in_files: boolean };

export async function selectSettings(database: Database, accountId: string): Promise<SettingsRow> {
  const [row] = await database.rows<SettingsRow>('select recipes_in_files from accounts where id = $1', [
    accountId,
  ]);
  return row ?? { recipes_in_files: false };
}

export async function updateSettings(
  database: Database,
  accountId: string,
  { recipes_in_files: recipesInFiles }: SettingsRow,
): Promise<void> {
  await database.rows('update accounts set recipes_in_files = $2 where id = $1', [accountId, recipesInFiles]);
}
