import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';

export type MigrationResult = { applied: string[]; already: number };

/** The database was migrated by other files than ours, or by a newer version. */
export class MigrationMismatch extends Error {
  override name = 'MigrationMismatch';
}

// Any constant serves; all our processes must use the same one.
const advisoryLock = 727_105_001;
/** What a file of a migration is called. */
export const migrationFileName = /^\d{3}-[a-z0-9-]+\.sql$/;

/**
 * Applies the numbered .sql files of a directory that the database has not seen, each in a transaction of its
 * own, under an advisory lock, so that any number of processes may start at once. A file that changed after it
 * was applied is refused.
 * @throws MigrationMismatch
 */
export async function migrate(options: { url: string; directory: string }): Promise<MigrationResult> {
  const files = (await readdir(options.directory)).filter((name) => migrationFileName.test(name)).sort();
  const client = new pg.Client({
    connectionString: options.url,
    application_name: 'migrate',
    options: '-c timezone=UTC',
  });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [advisoryLock]);
    await client.query(
      `create table if not exists schema_migrations (
         name text primary key, sha256 text not null, applied_at timestamptz not null default statement_timestamp())`,
    );
    const { rows } = await client.query<{ name: string; sha256: string }>(
      'select name, sha256 from schema_migrations',
    );
    const known = new Map(rows.map((row) => [row.name, row.sha256]));
    const applied: string[] = [];
    for (const name of files) {
      const text = await readFile(path.join(options.directory, name), 'utf8');
      const sha256 = hashMigration(text);
      const before = known.get(name);
      known.delete(name);
      if (before === sha256) continue;
      if (before !== undefined)
        throw new MigrationMismatch(`migration ${name} was changed after it had been applied`);
      await apply(client, name, text, sha256);
      applied.push(name);
    }
    const [stranger] = known.keys();
    if (stranger !== undefined)
      throw new MigrationMismatch(
        `the database has migration ${stranger}, which this version does not know: start a newer version`,
      );
    return { applied, already: files.length - applied.length };
  } finally {
    await client.end();
  }
}

/** SHA-256 (hexadecimal) of a migration's text. Line ends may differ between checkouts; the statements do not. */
export function hashMigration(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
}

async function apply(client: pg.Client, name: string, text: string, sha256: string): Promise<void> {
  try {
    await client.query('begin');
    await client.query(text);
    await client.query('insert into schema_migrations (name, sha256) values ($1, $2)', [name, sha256]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw new Error(`migration ${name} failed: ${(error as Error).message}`, { cause: error });
  }
}
