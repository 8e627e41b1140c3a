// Adds new migrations to tools/migration-hashes.json when they land: `node stack/launch.mjs --dev
// tools/hash-migrations.ts`. Only adds entries: if a landed migration differs or is missing, it reports this and writes
// nothing.

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { compareMigrations, hashesFile, readMigrationHashes } from './migration-hashes.ts';

const { issues, missing, completed } = await compareMigrations(
  path.resolve(import.meta.dirname, '..'),
  await readMigrationHashes(),
);
for (const issue of issues) console.error(issue);
if (issues.length > 0) process.exitCode = 1;
else if (missing.length === 0) console.log('All migrations are in the list.');
else {
  await writeFile(hashesFile, `${JSON.stringify(completed, null, 2)}\n`);
  for (const file of missing) console.log(`${file} added`);
}
if (process.connected) process.disconnect();
