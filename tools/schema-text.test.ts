import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { migrate } from '@renderkit/server-kit/schema/migrate.ts';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { schemaText } from './schema-text.ts';

const root = path.resolve(import.meta.dirname, '..');

for (const part of ['service', 'studio'] as const) {
  test(`${part}/sql/schema.sql is what the migrations make: else run tools/dump-schema.ts`, async () => {
    await using db = await createTestDatabase(part);
    assert.equal(await schemaText(db.database), await readSchema(part));
  });

  test(`the ${part}'s migrations make the same as those of sql/online that take their places`, async (t) => {
    const directory = await mkdtemp(path.join(tmpdir(), 'renderkit-sql-'));
    t.after(() => rm(directory, { recursive: true, force: true }));
    for (const folder of ['migrations', 'functions'])
      await cp(path.join(root, part, 'sql', folder), path.join(directory, folder), { recursive: true });
    await using db = await createTestDatabase('empty');
    await migrate({ url: db.url, directory });
    assert.equal(await schemaText(db.database), await readSchema(part));
  });
}

async function readSchema(part: 'service' | 'studio'): Promise<string> {
  return (await readFile(path.join(root, part, 'sql', 'schema.sql'), 'utf8')).replaceAll('\r\n', '\n');
}
