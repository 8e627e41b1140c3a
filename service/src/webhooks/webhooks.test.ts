import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import { createWebhook } from './create-webhook.ts';
import { deleteWebhook } from './delete-webhook.ts';
import { listWebhooks } from './list-webhooks.ts';
import { pauseWebhook, resumeWebhook } from './pause-webhook.ts';
import { pingWebhook } from './ping-webhook.ts';
import { revealSecret } from './reveal-secret.ts';
import { rotateSecret } from './rotate-secret.ts';
import { signingSecrets } from './signing-secret.ts';

const secrets = signingSecrets(Buffer.alloc(32, 4));

let db: TestDatabase;
before(async () => (db = await createTestDatabase('service')));
after(() => db[Symbol.asyncDispose]());

async function account(id: string): Promise<string> {
  await db.database.rows('insert into accounts (id, studio_id, studio_account_id) values ($1, $1, $1)', [id]);
  return id;
}

const create = (accountId: string) =>
  createWebhook(db.database, secrets, {
    accountId,
    url: 'https://8.8.8.8/hook',
    events: ['upload.ready'],
    allow: [],
  });
const refused = (code: string) => (error: unknown) => error instanceof ApiProblem && error.code === code;

test('an account has ten endpoints at most, however many are made at once; a deleted one makes room', async () => {
  const accountId = await account('acc_many');
  const outcomes = await Promise.allSettled(Array.from({ length: 14 }, () => create(accountId)));
  const made = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value.id] : []));
  assert.equal(made.length, 10);
  for (const one of outcomes) if (one.status === 'rejected') assert.ok(refused('conflict')(one.reason));
  await deleteWebhook(db.database, made[0] ?? '');
  await create(accountId);
  await assert.rejects(create(accountId), refused('conflict'));
  assert.equal((await listWebhooks(db.database, accountId)).length, 10);
  await assert.rejects(create('acc_none'), refused('not_found'));
});

test('secrets are nowhere in clear, and gone with the endpoint', async () => {
  const accountId = await account('acc_secret');
  const { id, secret } = await create(accountId);
  const fresh = await rotateSecret(db.database, secrets, id);
  const row = async () =>
    JSON.stringify(await db.database.rows('select * from webhook_endpoints where id = $1', [id]));
  for (const text of [secret, fresh]) assert.ok(!(await row()).includes(text.slice(6)));
  assert.equal(await revealSecret(db.database, secrets, id), fresh);
  await assert.rejects(revealSecret(db.database, signingSecrets(Buffer.alloc(32, 9)), id));
  await deleteWebhook(db.database, id);
  assert.match(await row(), /"secret_sealed":"","previous_secret_sealed":null/);
});

test('a sealed secret that is moved to another endpoint cannot be read there', async () => {
  const accountId = await account('acc_moved');
  const [one, other] = [await create(accountId), await create(accountId)];
  await db.database.rows(
    `update webhook_endpoints set secret_sealed = (select secret_sealed from webhook_endpoints where id = $1)
      where id = $2`,
    [one.id, other.id],
  );
  await assert.rejects(revealSecret(db.database, secrets, other.id), { name: 'UndecipherableSecret' });
});

test('to another account an endpoint is unknown, like one that never was', async () => {
  const mine = await create(await account('acc_mine'));
  const owner = { accountId: await account('acc_other') };
  for (const id of [mine.id, 'whk_none'])
    for (const ask of [
      () => pauseWebhook(db.database, id, owner),
      () => resumeWebhook(db.database, id, owner),
      () => deleteWebhook(db.database, id, owner),
      () => pingWebhook(db.database, id, owner),
      () => revealSecret(db.database, secrets, id, owner),
      () => rotateSecret(db.database, secrets, id, owner),
    ])
      await assert.rejects(ask(), refused('not_found'));
  assert.deepEqual(await listWebhooks(db.database, owner.accountId), []);
  const [listed] = await listWebhooks(db.database, 'acc_mine');
  assert.deepEqual([listed?.status, listed?.failingSince], ['active', null]);
});
