import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StudioAnswer } from '@renderkit/contract/studio/operations.ts';
import { startTestStudio, type TestStudio } from './harness.ts';

/** Inserts items of one account; each filter finds few of them. */
async function fill(studio: TestStudio, account: string): Promise<void> {
  for (const statement of [
    `insert into projects (id, account_id, title) values ('prj_1', '${account}', 'Sea')`,
    `insert into assets (id, account_id, project_id, type, storage_key, content_type, size_bytes, favorite, prompt,
       created_at)
     select 'ast_' || lpad(n::text, 6, '0'), '${account}', case when n % 200 = 0 then 'prj_1' end,
       case when n % 100 = 1 then 'video' else 'image' end, 'x', 'image/png', 1, n % 150 = 2,
       case when n % 300 = 3 then 'a lighthouse, number ' || n else 'some other prompt ' || n end,
       clock() - n * interval '1 minute'
     from generate_series(1, 20000) as n`,
    'analyze',
  ])
    await studio.database.rows(statement);
}

const uses = async (studio: TestStudio) =>
  new Map(
    (
      await studio.database.rows<{ name: string; scans: number }>(
        `select indexrelname as name, idx_scan as scans from pg_stat_user_indexes where relname = 'assets'`,
      )
    ).map(({ name, scans }) => [name, scans]),
  );

test('each filter of a full library goes by an index of its own', async () => {
  await using studio = await startTestStudio({ worker: false });
  const account = await studio.connect();
  await fill(studio, account.id);
  const filters: [filter: string, index: string, first: string][] = [
    ['', 'assets_newest', 'ast_000001'],
    ['&type=video', 'assets_of_type', 'ast_000001'],
    ['&favorites=true', 'assets_favorite', 'ast_000002'],
    ['&search=lighthouse', 'assets_words', 'ast_000003'],
    ['&project_id=prj_1', 'assets_of_project', 'ast_000200'],
  ];
  const before = await uses(studio);
  for (const [filter, , first] of filters) {
    const { body } = await account.call<StudioAnswer<'listAssets'>>(
      'GET',
      `/api/assets?page=1&limit=20${filter}`,
    );
    assert.deepEqual([body.assets.length, body.has_more, body.assets[0]?.id], [20, true, first], filter);
  }
  const unused = async () => {
    const after = await uses(studio);
    return filters.map(([, index]) => index).filter((index) => after.get(index) === before.get(index));
  };
  // Sessions report their scans only after they were idle for a while.
  for (let i = 0; i < 80 && (await unused()).length > 0; i++) await sleep(250);
  assert.deepEqual(await unused(), []);
});
