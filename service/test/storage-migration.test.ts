import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@renderkit/server-kit/ids.ts';
import { migrate } from '@renderkit/server-kit/schema/migrate.ts';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { migrateBefore } from '@renderkit/server-kit/testing/migrate-before.ts';
import { sqlDirectory } from '../src/preflight/check-database.ts';
import { markDeleted } from '../src/uploads/deletion-store.ts';

test('generations from before the migration keep the uploads that they name, whatever names them', async () => {
  await using db = await createTestDatabase('empty');
  const { database, url } = db;
  await migrateBefore(url, sqlDirectory, '018');
  const uploads = Array.from({ length: 4 }, () => newId('upl_'));
  const [named, older, ended, free] = uploads;
  await database.rows(`insert into accounts (id, studio_id, studio_account_id) values ('acc', 'std', 'acc')`);
  await database.rows(
    `insert into uploads (id, account_id, status, type, url, file_name, content_type, size_bytes, processing_since,
                          created_at)
     select id, 'acc', 'ready', 'image', 'https://x', 'x', 'image/png', 1, now(), now() - interval '1 year'
       from unnest($1::text[]) as id`,
    [uploads],
  );
  const generation = async (id: string, status: string, request: string, names: string | null) => {
    await database.rows(
      `insert into generations (id, account_id, key_id, kind, lane, status, model, cost_millicredits, expected_outputs,
                                budget_day, completed_at)
       values ($1, 'acc', 'key', 'image', 'image', $2, 'plain', 0, 1, current_date,
               case when $2 = 'queued' then null else now() end)`,
      [id, status],
    );
    await database.rows(
      'insert into generation_requests (generation_id, render_request, quote, uploads) values ($1, $2, $3, $4)',
      [id, request, 'q', names],
    );
  };
  await generation('gen_1', 'queued', '{}', JSON.stringify([{ id: named }, { id: 'upl_none' }]));
  await generation('gen_2', 'queued', JSON.stringify({ reference_images: ['ast_1', older] }), null);
  await generation('gen_3', 'succeeded', '{}', JSON.stringify([{ id: ended }]));
  await migrate({ url, directory: sqlDirectory });

  const remove = (id = '') => markDeleted(database, { id, accountId: 'acc', owner: 'me', leaseMs: 1_000 });
  assert.deepEqual(await remove(named), { outcome: 'named', generationId: 'gen_1' });
  assert.deepEqual(await remove(older), { outcome: 'named', generationId: 'gen_2' });
  assert.deepEqual(await remove(ended), { outcome: 'deleted' });
  assert.deepEqual(await remove(free), { outcome: 'deleted' });
  const [due] = await database.rows<{ due: boolean }>(
    'select expires_at <= clock() as due from uploads where id = $1',
    [named],
  );
  assert.equal(due?.due, false, 'nothing that was there goes without notice');
});
