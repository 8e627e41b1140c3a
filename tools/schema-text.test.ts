import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { schemaText } from './schema-text.ts';

for (const part of ['service', 'studio'] as const)
  test(`${part}/sql/schema.sql is what the migrations make: else run tools/dump-schema.ts`, async () => {
    await using db = await createTestDatabase(part);
    const file = path.join(import.meta.dirname, '..', part, 'sql', 'schema.sql');
    const kept = (await readFile(file, 'utf8')).replaceAll('\r\n', '\n');
    assert.equal(await schemaText(db.database), kept);
  });
