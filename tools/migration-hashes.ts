import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { readOnlineFiles, readSchemaFiles } from '@renderkit/server-kit/schema/read-schema-files.ts';

/** SHA-256 of each landed migration, by server and file name. Names of files in `sql/online` include that folder. */
export type MigrationHashes = Record<string, Record<string, string>>;

export type ComparedMigrations = {
  /** Sentences about landed migrations that are missing or changed. */
  issues: string[];
  /** Files that are not in the list yet, such as `018-name.sql`, with their folders. */
  missing: string[];
  /** The list with the missing files added. */
  completed: MigrationHashes;
};

export const hashesFile = path.join(import.meta.dirname, 'migration-hashes.json');

export async function readMigrationHashes(): Promise<MigrationHashes> {
  return JSON.parse(await readFile(hashesFile, 'utf8')) as MigrationHashes;
}

/**
 * Compares the migrations of both servers below `root` with the list of landed migrations. `hash-migrations.ts` adds
 * new files to the list.
 */
export async function compareMigrations(root: string, landed: MigrationHashes): Promise<ComparedMigrations> {
  const compared: ComparedMigrations = { issues: [], missing: [], completed: {} };
  for (const server of ['service', 'studio']) {
    const fileOf = (name: string) => `${server}/sql/${name.includes('/') ? '' : 'migrations/'}${name}`;
    const found = await hashMigrations(path.join(root, server, 'sql'));
    const known = landed[server] ?? {};
    for (const [name, sha256] of Object.entries(known)) {
      const file = fileOf(name);
      if (found[name] === undefined)
        compared.issues.push(
          `${file} is gone: a landed migration stays, because databases have it; bring it back.`,
        );
      else if (found[name] !== sha256)
        compared.issues.push(
          `${file} is not what landed: databases that have it would refuse to start; bring the old text back and put the change into a new migration.`,
        );
    }
    compared.missing.push(
      ...Object.keys(found)
        .filter((name) => known[name] === undefined)
        .map(fileOf),
    );
    compared.completed[server] = sortedByName({ ...found, ...known });
  }
  return compared;
}

async function hashMigrations(sqlDirectory: string): Promise<Record<string, string>> {
  const { migrations } = await readSchemaFiles(sqlDirectory);
  const online = await readOnlineFiles(sqlDirectory);
  return Object.fromEntries([
    ...migrations.map(({ name, sha256 }) => [name, sha256]),
    ...online.map(({ name, sha256 }) => [`online/${name}`, sha256]),
  ]);
}

function sortedByName(hashes: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(hashes).sort(([a], [b]) => (a < b ? -1 : 1)));
}
