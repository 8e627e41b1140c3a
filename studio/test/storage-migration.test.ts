import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrate } from '@renderkit/server-kit/schema/migrate.ts';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { migrateBefore } from '@renderkit/server-kit/testing/migrate-before.ts';
import { sqlDirectory } from '@renderkit/studio/sql-directory.ts';
import { showAccount } from '@renderkit/studio/operator.ts';

test('what was stored before is counted by the migration, to the byte', async () => {
  await using db = await createTestDatabase('empty');
  const { database, url } = db;
  await migrateBefore(url, sqlDirectory, '011');
  for (const statement of [
    `insert into accounts (id, email, tier, allowance_millicredits, refill_anchor, last_refill_at, next_refill_at,
       limit_image, limit_edit, limit_video, limit_overall)
     select 'acc_' || tier, tier || '@example.org', tier, 0, now(), now(), now() + interval '1 month', 1, 1, 1, 2
       from unnest(array['free', 'plus', 'pro']) as tier`,
    `insert into uploads (id, account_id, token, type, status, hidden, file_name, storage_key, content_type, size_bytes,
       sha256, has_audio)
     select 'upf_' || n, 'acc_plus', 'upl_' || n, 'image', status, n = 2, 'x', 'x', 'image/png', 10 ^ n, '', false
       from (values (1, 'ready'), (2, 'ready'), (3, 'processing'), (4, 'rejected')) as u (n, status)`,
    `insert into assets (id, account_id, type, storage_key, content_type, size_bytes)
     values ('ast_1', 'acc_plus', 'video', 'x', 'video/mp4', 5000), ('ast_2', 'acc_pro', 'image', 'x', 'image/png', 70)`,
    `insert into frames (video_id, time_ms, storage_key, width, height, size_bytes)
     values ('ast_1', 0, 'x', 1, 1, 300), ('ast_1', 1, 'x', 1, 1, 400)`,
  ])
    await database.rows(statement);
  await migrate({ url, directory: sqlDirectory });
  const storage = async (tier: string) => (await showAccount(database, `${tier}@example.org`)).storage;
  const gigabyte = 1024 ** 3;
  assert.deepEqual(await storage('free'), {
    used_bytes: 0,
    limit_bytes: 2 * gigabyte,
    uploads_bytes: 0,
    outputs_bytes: 0,
  });
  assert.deepEqual(await storage('plus'), {
    used_bytes: 6_810,
    limit_bytes: 50 * gigabyte,
    uploads_bytes: 1_110,
    outputs_bytes: 5_700,
  });
  assert.deepEqual(await storage('pro'), {
    used_bytes: 70,
    limit_bytes: 250 * gigabyte,
    uploads_bytes: 0,
    outputs_bytes: 70,
  });
});
