import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { refillDueAccounts } from '@renderkit/studio/credits/refill-account.ts';
import { deleteAccount, setAccount } from '@renderkit/studio/operator.ts';
import { checkMedia } from '@renderkit/studio/storage/check-media.ts';
import { openStorage } from '@renderkit/blob-storage/open-storage.ts';
import { clientWithAddresses, newPerson, password, signInByBrowser } from './code-flow.ts';
import { readChanges, refresh, startTestStudio, type TestAccount, type TestStudio } from './harness.ts';
import { makeImage } from './media-files.ts';

const big = [
  'accounts',
  'oidc_payloads',
  'renders',
  'assets',
  'changes',
  'projects',
  'ledger',
  'uploads',
  'frames',
  'loose_folders',
  'deleted_uploads',
  'sign_in_attempts',
];

/** Inserts ten thousand accounts, each with a grant, a token, renders, changes, images and projects. */
async function fill(database: Database): Promise<void> {
  const each = 'from generate_series(1, 10000) as n';
  const anchor = `'2026-01-15'::timestamptz`;
  for (const statement of [
    `insert into accounts (id, tier, allowance_millicredits, refill_anchor, last_refill_at, next_refill_at,
       limit_image, limit_edit, limit_video, limit_overall, change_seq, ledger_seq)
     select 'acc_' || n, 'free', 50000, ${anchor}, ${anchor}, clock() + interval '1 month', 1, 1, 1, 2, 3, 1 ${each}`,
    `insert into oidc_payloads (model, id, payload, grant_id, account_id, client_id, expires_at)
     select m, m || n, '{}', case m when 'Grant' then null else 'Grant' || n end, 'acc_' || n, 'renderkit-service',
       clock() + interval '1 year' ${each}, unnest(array['Grant', 'AccessToken', 'RefreshToken']) as m`,
    `insert into renders (id, account_id, token, client_id, status, kind, lane, cost_millicredits, ledger_seq,
       expected_outputs) select 'rnd_' || n || '_' || i, 'acc_' || n, 'gen_' || n || '_' || i, 'renderkit-service',
       'succeeded', 'image', 'image', 4000, 1, 1 ${each}, generate_series(1, 3) as i`,
    `insert into changes (account_id, seq, type, token) select 'acc_' || n, i, 'render', 't' ${each},
       generate_series(1, 3) as i`,
    `insert into projects (id, account_id, title, is_api) select 'prj_' || n, 'acc_' || n, 'API', true ${each}`,
    `insert into assets (id, account_id, project_id, render_id, position, type, storage_key, content_type, size_bytes)
     select 'ast_' || n, 'acc_' || n, 'prj_' || n, 'rnd_' || n || '_1', 0, 'image', 'x', 'image/png', 1 ${each}`,
    `insert into uploads (id, account_id, token, type, status, hidden, file_name, storage_key, content_type, size_bytes,
       sha256, has_audio) select 'upf_' || n, 'acc_' || n, 'upl_' || n, 'image', 'ready', false, 'x', 'x', 'image/png', 1,
       '', false ${each}`,
    `insert into frames (video_id, time_ms, storage_key, width, height, size_bytes)
     select 'ast_' || n, 0, 'x', 1, 1, 1 ${each}`,
    `insert into loose_folders (folder, remove_after) select 'f' || n, clock() + interval '1 hour' ${each}`,
    `insert into deleted_uploads (account_id, token) select 'acc_' || n, 'gone' ${each}`,
    `insert into sign_in_attempts (subject, attempts, window_ends_at)
     select 's' || n, 1, clock() + interval '1 hour' ${each}`,
    `insert into ledger (account_id, seq, kind, bucket, amount_millicredits, balance_after_millicredits)
     select 'acc_' || n, 1, 'opening', 'monthly', 50000, 50000 ${each}`,
    'analyze',
  ])
    await database.rows(statement);
}

async function scans(database: Database): Promise<Map<string, { seq: number; idx: number }>> {
  const rows = await database.rows<{ relname: string; seq: number; idx: number }>(
    `select relname, seq_scan as seq, idx_scan as idx from pg_stat_user_tables where relname = any($1)`,
    [big],
  );
  return new Map(rows.map(({ relname, seq, idx }) => [relname, { seq, idx }]));
}

async function useLibrary(account: TestAccount, project: string, item: string): Promise<void> {
  for (const filter of [
    '',
    '&type=image',
    `&project_id=${project}`,
    '&favorites=true',
    '&favorites=false',
    '&search=lighthouse',
  ])
    assert.equal((await account.call('GET', `/api/assets?page=1&limit=20${filter}`)).status, 200, filter);
  assert.equal((await account.call('GET', `/api/assets/image/${item}`)).status, 200);
  assert.equal((await account.call('PATCH', `/api/assets/image/${item}`, { favorite: true })).status, 200);
  assert.equal((await account.call('DELETE', `/api/assets/image/${item}`)).status, 200);
  assert.equal((await account.call('DELETE', `/api/projects/${project}`)).status, 200);
}

async function useUploads(account: TestAccount): Promise<void> {
  await account.upload('upl_a', await makeImage());
  await account.checked('upl_a');
  await account.call('POST', '/api/uploads/lookup', { tokens: ['upl_a', 'upl_b'] });
  assert.deepEqual((await account.quote({ reference_images: ['upl_a'] })).unknown_ids, []);
  assert.equal((await account.call('DELETE', '/api/uploads/upl_a')).status, 200);
}

async function signInTwice(studio: TestStudio): Promise<void> {
  const person = await newPerson(studio);
  for (let i = 0; i < 2; i++) assert.equal((await signInByBrowser(studio, person)).status, 200);
  await setAccount(studio.database, person.email, { password });
}

/** Compares all names and all blobs, erases an account, and reconciles. */
async function cleanUp(studio: TestStudio, doomed: TestAccount): Promise<void> {
  await using storage = await openStorage(studio.mediaLocation);
  await checkMedia(studio.database, storage);
  await deleteAccount(studio.database, doomed.email);
  await studio.database.rows(`update settings set changed_at = '-infinity' where name = 'media_swept'`);
  await studio.clean();
}

test('no call of the hot paths reads a whole table, however full it is', async () => {
  await using studio = await startTestStudio({ config: { client: clientWithAddresses } });
  await fill(studio.database);
  const account = await studio.connect({ tier: 'pro' });
  const render = async (token: string) => {
    await account.submit(token);
    return account.finished(token);
  };
  await render('warm');
  const doomed = await studio.connect({ tier: 'pro' });
  await doomed.submit('gen_doomed');
  await doomed.finished('gen_doomed');
  // Sessions report their scans only after they were idle for a while.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  const before = await scans(studio.database);
  const { outputs, project_id } = await render('gen_a');
  const more = { project_id, reference_images: [outputs[0]?.id ?? ''] };
  assert.deepEqual((await account.quote(more)).unknown_ids, []);
  await account.call('POST', '/api/renders/lookup', { tokens: ['gen_a', 'gen_b'] });
  await account.call('PUT', '/api/renders/gen_b/barred');
  for (const path of [
    'account',
    'balance',
    'limits',
    'catalog',
    'projects?page=1&limit=20',
    `projects/${project_id}`,
  ])
    assert.equal((await account.call('GET', `/api/${path}`)).status, 200, path);
  await useLibrary(account, project_id, outputs[0]?.id ?? '');
  await useUploads(account);
  await signInTwice(studio);
  await cleanUp(studio, doomed);
  const many = Array.from({ length: 20 }, (_, i) => ({ account: `acc_${i + 1}`, cursor: 2 }));
  assert.equal((await readChanges(studio.url, many)).length, 20);
  await refresh(studio.url, account.refreshToken);
  await refillDueAccounts(studio.database);
  let after = before;
  for (let i = 0; i < 60 && (after.get('renders')?.idx ?? 0) <= (before.get('renders')?.idx ?? 0); i++) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    after = await scans(studio.database);
  }
  for (const table of big)
    assert.equal(after.get(table)?.seq, before.get(table)?.seq, `${table} was read as a whole`);
});
