import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import {
  addLibraryItem,
  checkLedger,
  createAccount,
  deleteAccount,
  listAccounts,
} from '@renderkit/studio/operator.ts';
import { readChanges, refresh, startTestStudio } from './harness.ts';
import { makeMedia, makeImage } from './media-files.ts';

test('a deleted account loses access at once, then its texts and media; its ledger stays without a name', async () => {
  await using studio = await startTestStudio();
  const account = await studio.connect({ email: 'Gone@example.org', tier: 'pro' });
  const kept = await studio.connect({ tier: 'pro' });
  await account.submit('gen_gone', { prompt: 'a very private lighthouse' });
  await kept.submit('gen_kept');
  const { outputs } = await account.finished('gen_gone');
  await kept.finished('gen_kept');
  await account.upload('upl_gone', await makeImage(), { file_name: 'private.png' });
  await kept.upload('upl_kept', await makeImage());
  const video = await addLibraryItem(studio.database, {
    email: account.email,
    ...studio.mediaLocation,
    file: await makeVideo(studio.dataDirectory),
    prompt: 'a private video',
  });
  await account.call('POST', `/api/videos/${video.id}/frames`, { time: 0, project_id: null });
  await account.checked('upl_gone');
  await account.checked('upl_kept');
  await deleteAccount(studio.database, 'gone@example.org');
  assert.equal((await account.call('GET', '/api/account')).status, 401);
  await assert.rejects(refresh(studio.url, account.refreshToken), /invalid_grant/);
  assert.deepEqual(await readChanges(studio.url, [{ account: account.id, cursor: 0 }]), [
    { account: account.id, status: 'ended' },
  ]);
  assert.deepEqual(
    (await listAccounts(studio.database)).map(({ id }) => id),
    [kept.id],
  );
  await studio.clean();
  assert.equal((await fetch(outputs[0]?.url ?? '')).status, 404);
  assert.equal((await studio.mediaKeys()).length, 3);
  for (const table of [
    'accounts',
    'renders',
    'projects',
    'assets',
    'uploads',
    'changes',
    'oidc_payloads',
    'ledger',
  ]) {
    const rows = await studio.database.rows<{ row: string }>(`select ${table}::text as row from ${table}`);
    const text = rows.map(({ row }) => row).join('\n');
    assert.ok(!/private|gone@/i.test(text), table);
  }
  const entries = await studio.database.rows('select from ledger where account_id = $1', [account.id]);
  assert.equal(entries.length, 2);
  const audit = await studio.database.rows('select from audit_entries where account_id = $1', [account.id]);
  assert.equal(audit.length, 0);
  assert.deepEqual(await checkLedger(studio.database), []);
  await createAccount(studio.database, { email: 'gone@example.org' });
});

async function makeVideo(directory: string): Promise<string> {
  await makeMedia(directory, 'video.mp4');
  return path.join(directory, 'video.mp4');
}
