import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { moveClock } from '@renderkit/server-kit/testing/database.ts';
import {
  checkLedger,
  createAccount,
  setAccount,
  showAccount,
  showLedger,
} from '@renderkit/studio/operator.ts';
import { refillDueAccounts } from '@renderkit/studio/credits/refill-account.ts';
import { finishRender } from '@renderkit/studio/renders/store.ts';
import { request, startTestStudio, type TestAccount, type TestStudio } from './harness.ts';

let studio: TestStudio;
before(async () => (studio = await startTestStudio({ worker: false })));
after(async () => {
  assert.deepEqual(await checkLedger(studio.database), []);
  await studio[Symbol.asyncDispose]();
});

const credits = 1000;
const fourCredits = { model: 'atelier-1' };
const ledger = async (account: TestAccount) =>
  (await showLedger(studio.database, account.email)).map(
    ({ kind, bucket, amount_millicredits }) => `${kind} ${bucket} ${amount_millicredits / credits}`,
  );

async function end(account: TestAccount, token: string, status: 'succeeded' | 'failed'): Promise<void> {
  const [render] = await studio.database.rows<{ id: string }>(
    'select id from renders where account_id = $1 and token = $2',
    [account.id, token],
  );
  assert.ok(render);
  await studio.database.execute(
    `update renders set status = 'running', attempt = 1, completed_at = null where id = $1`,
    [render.id],
  );
  await finishRender(studio.database, {
    render: render.id,
    attempt: 1,
    status,
    error: status === 'failed' ? { code: 'render_failed', message: 'x' } : null,
    assets: [],
  });
}

test("a new account opens with its plan's allowance, or with exactly the credits it is given", async () => {
  const plain = await studio.connect({ tier: 'plus' });
  assert.deepEqual(await ledger(plain), ['opening monthly 1000']);
  const given = await studio.connect({ tier: 'pro', creditsMillicredits: 9 * credits });
  assert.deepEqual(await ledger(given), ['opening lifetime 9']);
  const balance = await given.balance();
  assert.deepEqual([balance.monthly_millicredits, balance.lifetime_millicredits], [0, 9 * credits]);
});

test('a hundred parallel submits of one token are one render and one charge', async () => {
  const account = await studio.connect({ tier: 'pro' });
  const { quote } = await account.quote(fourCredits);
  const answers = await Promise.all(
    Array.from({ length: 100 }, () =>
      account.call<{ outcome: string; render: { render_id: string } }>('PUT', '/api/renders/gen_same', {
        quote,
        request: request(fourCredits),
      }),
    ),
  );
  assert.deepEqual(new Set(answers.map(({ body }) => body.outcome)), new Set(['accepted']));
  assert.equal(new Set(answers.map(({ body }) => body.render.render_id)).size, 1);
  assert.deepEqual(await ledger(account), ['opening monthly 5000', 'charge monthly -4']);
  const waiting = await studio.database.rows(
    `select from renders where account_id = $1 and status = 'queued' and tag is not null`,
    [account.id],
  );
  assert.equal(waiting.length, 1);
});

test('monthly credits are spent first, and a failed render goes back to where it came from', async () => {
  const account = await studio.connect({ tier: 'free' });
  await setAccount(studio.database, account.email, { creditsMillicredits: 52 * credits, tier: 'pro' });
  await studio.database.rows(`select write_ledger($1, 'adjustment', 'monthly', -47000, null)`, [account.id]);
  const accepted = await account.submit('gen_split', fourCredits);
  assert.equal(accepted.outcome, 'accepted');
  await end(account, 'gen_split', 'failed');
  assert.deepEqual((await ledger(account)).slice(-4), [
    'charge monthly -3',
    'charge lifetime -1',
    'refund monthly 3',
    'refund lifetime 1',
  ]);
  await end(account, 'gen_split', 'failed');
  assert.equal((await ledger(account)).length, 7);
});

test('a submit beyond the balance is refused, and its token stays refused', async () => {
  const account = await studio.connect({ creditsMillicredits: 3 * credits });
  const refused = await account.submit('gen_poor', fourCredits);
  assert.deepEqual(refused.outcome === 'refused' && refused.refusal.code, 'insufficient_credits');
  await setAccount(studio.database, account.email, { creditsMillicredits: 100 * credits });
  const again = await account.submit('gen_poor', fourCredits);
  assert.equal(again.outcome, 'refused');
  assert.equal((await account.balance()).lifetime_millicredits, 100 * credits);
});

test('monthly credits renew on their day and do not add up, whoever looks first', async (t) => {
  t.after(() => moveClock(studio.database, 0));
  const looked = await studio.connect({ tier: 'free' });
  const stayingEmail = 'staying@example.org';
  await createAccount(studio.database, { email: stayingEmail, tier: 'free' });
  await looked.submit('gen_before', fourCredits);
  assert.equal((await looked.balance()).monthly_millicredits, 46 * credits);
  const day = 86_400;
  await moveClock(studio.database, 95 * day);
  const late = await studio.database.rows<{ due: boolean }>(
    'select next_refill_at <= clock() as due from accounts where id = $1',
    [looked.id],
  );
  assert.equal(late[0]?.due, true);
  await refillDueAccounts(studio.database);
  const account = await showAccount(studio.database, looked.email);
  assert.equal(account.monthly_millicredits, 50 * credits);
  assert.deepEqual((await ledger(looked)).slice(-2), ['expiry monthly -46', 'grant monthly 50']);
  const [untouched] = await showLedger(studio.database, stayingEmail);
  assert.equal(untouched?.kind, 'opening');
  assert.equal((await showLedger(studio.database, stayingEmail)).length, 3);
  await refillDueAccounts(studio.database);
  assert.equal((await showLedger(studio.database, stayingEmail)).length, 3);
});

test("renewals fall on the account's own day, on the last one where the month is too short", async () => {
  const renewals: string[] = [];
  let at = '2027-10-31T10:00:00.000Z';
  for (let i = 0; i < 6; i++) {
    const [row] = await studio.database.rows<{ next: string }>(
      `select iso_time(next_refill('2027-10-31T10:00Z', $1)) as next`,
      [at],
    );
    at = row?.next ?? '';
    renewals.push(at.slice(0, 10));
  }
  assert.deepEqual(renewals, [
    '2027-11-30',
    '2027-12-31',
    '2028-01-31',
    '2028-02-29',
    '2028-03-31',
    '2028-04-30',
  ]);
});

test('what was charged before the month turned comes back as far as the allowance goes', async (t) => {
  t.after(() => moveClock(studio.database, 0));
  const account = await studio.connect({ tier: 'free' });
  await account.submit('gen_old', fourCredits);
  await moveClock(studio.database, 40 * 86_400);
  await end(account, 'gen_old', 'failed');
  assert.deepEqual((await ledger(account)).slice(-4), [
    'expiry monthly -46',
    'grant monthly 50',
    'refund monthly 4',
    'expiry monthly -4',
  ]);
  assert.equal((await showAccount(studio.database, account.email)).monthly_millicredits, 50 * credits);
});

test('setting credits is a signed adjustment to exactly that much', async () => {
  const account = await studio.connect({ tier: 'free' });
  for (const target of [10, 500, 0, 7]) {
    const set = await setAccount(studio.database, account.email, { creditsMillicredits: target * credits });
    assert.equal(set.monthly_millicredits + set.lifetime_millicredits, target * credits);
  }
});

test('the ledger refuses to be rewritten', async () => {
  await assert.rejects(studio.database.rows('update ledger set amount_millicredits = 0'), /never changed/);
  await assert.rejects(studio.database.rows('delete from ledger'), /never changed/);
});
