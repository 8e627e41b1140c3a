import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** A numbered file: tables and data, applied once and never edited after that. */
export type MigrationFile = {
  /** `018-storage.sql`; what the database remembers. */
  name: string;
  text: string;
  sha256: string;
  /** The release that brought it (`-- release: 2` in its head); 0 for those that are older than releases. */
  release: number;
  /** `-- transaction: none` in its head: one statement, such as `create index concurrently`, that runs in none. */
  outsideTransaction: boolean;
};

/** A file of one function: its current text, applied again whenever it changed. */
export type FunctionFile = { name: string; text: string; sha256: string };

export type SchemaFiles = { migrations: MigrationFile[]; functions: FunctionFile[] };

const migrationName = /^\d{3}-[a-z0-9-]+\.sql$/;
const functionName = /^[a-z0-9_]+\.sql$/;

/** Reads a server's `sql` folder: `migrations/NNN-name.sql` and `functions/name.sql`, each in the order of its names. */
export async function readSchemaFiles(directory: string): Promise<SchemaFiles> {
  const [migrations, functions] = await Promise.all([
    readFiles(path.join(directory, 'migrations'), migrationName),
    readFiles(path.join(directory, 'functions'), functionName),
  ]);
  return {
    migrations: migrations.map((file) => ({ ...file, ...readHead(file.text) })),
    functions: functions.map((file) => ({ ...file, name: file.name.replace(/\.sql$/, '') })),
  };
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

/** Line ends may differ between checkouts; the statements do not. */
export function textHash(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
}

function readHead(text: string): Pick<MigrationFile, 'release' | 'outsideTransaction'> {
  const head = /^(?:--.*\r?\n|\r?\n)*/.exec(text)?.[0] ?? '';
  return {
    release: Number(/^-- release: (\d+)\s*$/m.exec(head)?.[1] ?? 0),
    outsideTransaction: /^-- transaction: none\s*$/m.test(head),
  };
}
