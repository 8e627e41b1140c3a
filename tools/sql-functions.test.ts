import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';

for (const part of ['service', 'studio'] as const)
  test(`each function of the ${part}'s database has its file in sql/functions, and no name means two`, async () => {
    await using db = await createTestDatabase(part);
    const made = await db.database.rows<{ name: string }>(
      `select proname as name from pg_proc p
        where pronamespace = 'public'::regnamespace and not exists (
          select from pg_depend d where d.objid = p.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e')
        order by proname`,
    );
    const folder = path.join(import.meta.dirname, '..', part, 'sql', 'functions');
    const files = (await readdir(folder)).map((name) => name.replace(/\.sql$/, '')).sort();
    assert.deepEqual(made.map(({ name }) => name).sort(), files);
  });
