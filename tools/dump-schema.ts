// Writes service/sql/schema.sql and studio/sql/schema.sql: `node tools/dump-schema.ts`. Migrates fresh databases in a
// temporary cluster, which is removed at the end.

import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openDatabase } from '@renderkit/server-kit/db/database.ts';
import { migrate } from '@renderkit/server-kit/schema/migrate.ts';
import { startPostgres } from '@renderkit/stack/postgres/start-postgres.ts';
import { schemaText } from './schema-text.ts';

const root = path.resolve(import.meta.dirname, '..');
const directory = await mkdtemp(path.join(tmpdir(), 'renderkit-schema-'));
try {
  // When this runs as root, the database server's account must be able to enter the directory.
  await chmod(directory, 0o711);
  await using postgres = await startPostgres({
    dataDirectory: directory,
    databases: [],
    onDown: (reason) => console.error(reason),
  });
  for (const part of ['service', 'studio']) {
    await using cluster = openDatabase({
      url: postgres.superuserUrl,
      applicationName: 'dump-schema',
      poolSize: 1,
    });
    await cluster.rows(`create database ${part}`);
    const url = postgres.superuserUrl.replace(/\/postgres$/, `/${part}`);
    await migrate({ url, directory: path.join(root, part, 'sql') });
    await using database = openDatabase({ url, applicationName: 'dump-schema', poolSize: 1 });
    const file = path.join(root, part, 'sql', 'schema.sql');
    await writeFile(file, await schemaText(database));
    console.log(`${path.relative(root, file)} written`);
  }
} finally {
  await rm(directory, { recursive: true, force: true });
}
