import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** A numbered file with tables and data. It is applied once and never edited after that. */
export type MigrationFile = {
  /** The name under which the database records the migration, such as `018-storage.sql`. */
  name: string;
  /** The hash of the file in `migrations`, even when the steps of `online` are applied. */
  sha256: string;
  /** The release that added it (`-- release: 2` in its head); 0 when it is older than the first release. */
  release: number;
  /** The whole file, or the steps of the file with the same name in `online`. */
  steps: MigrationStep[];
};

/** Statements that are applied together. */
export type MigrationStep = {
  text: string;
  /** True for a single statement, such as `create index concurrently`, that cannot run in a transaction. */
  outsideTransaction: boolean;
};

/** A file with the current text of one function. It is applied again after each change. */
export type FunctionFile = { name: string; text: string; sha256: string };

export type SchemaFiles = { migrations: MigrationFile[]; functions: FunctionFile[] };

const migrationName = /^\d{3}-[a-z0-9-]+\.sql$/;
const functionName = /^[a-z0-9_]+\.sql$/;

/**
 * Reads a server's `sql` folder: `migrations/NNN-name.sql` and `functions/name.sql`, each sorted by name. A file
 * `online/NNN-name.sql` replaces the migration with the same name. It leads to the same schema, in steps that hold no
 * lock for long.
 * @throws Error when a file of `online` has no migration
 */
export async function readSchemaFiles(directory: string): Promise<SchemaFiles> {
  const [migrations, functions, online] = await Promise.all([
    readFiles(path.join(directory, 'migrations'), migrationName),
    readFiles(path.join(directory, 'functions'), functionName),
    readOnlineFiles(directory),
  ]);
  const texts = new Map(online.map(({ name, text }) => [name, text]));
  for (const { name } of online)
    if (!migrations.some((migration) => migration.name === name))
      throw new Error(`online/${name} takes the place of no migration: there is no migrations/${name}`);
  return {
    migrations: migrations.map(({ name, text, sha256 }) => {
      const { release, outsideTransaction } = readHead(text);
      const inSteps = texts.get(name);
      const steps = inSteps === undefined ? [{ text, outsideTransaction }] : readSteps(inSteps);
      return { name, sha256, release, steps };
    }),
    functions: functions.map((file) => ({ ...file, name: file.name.replace(/\.sql$/, '') })),
  };
}

/**
 * Reads the files of `sql/online`. Like migrations, they never change after they were published.
 * `tools/migration-hashes.ts` checks that.
 */
export function readOnlineFiles(directory: string): Promise<FunctionFile[]> {
  return readFiles(path.join(directory, 'online'), migrationName);
}

const stepLine = /^-- step: (in a transaction|outside of transactions)\s*$/m;

/**
 * Splits a file into its steps. Text above the first step line is a comment.
 * @throws Error when there is no step
 */
function readSteps(text: string): MigrationStep[] {
  const [, ...parts] = text.split(stepLine);
  if (parts.length === 0)
    throw new Error('a file of online has steps, each below a line "-- step: in a transaction"');
  const steps: MigrationStep[] = [];
  for (let part = 0; part < parts.length; part += 2)
    steps.push({ text: parts[part + 1] ?? '', outsideTransaction: parts[part] !== 'in a transaction' });
  return steps;
}

async function readFiles(folder: string, shape: RegExp): Promise<FunctionFile[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return Promise.all(
    names
      .filter((name) => shape.test(name))
      .sort()
      .map(async (name) => {
        const text = await readFile(path.join(folder, name), 'utf8');
        return { name, text, sha256: textHash(text) };
      }),
  );
}

/** Returns the hash of a text. Ignores line ends, because they differ between checkouts while the statements do not. */
export function textHash(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
}

function readHead(text: string): { release: number; outsideTransaction: boolean } {
  const head = /^(?:--.*\r?\n|\r?\n)*/.exec(text)?.[0] ?? '';
  return {
    release: Number(/^-- release: (\d+)\s*$/m.exec(head)?.[1] ?? 0),
    outsideTransaction: /^-- transaction: none\s*$/m.test(head),
  };
}
