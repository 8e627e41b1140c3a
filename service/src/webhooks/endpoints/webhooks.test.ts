import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { operator } from '../../identity/audit/actor.ts';
import { listAudit } from '../../identity/audit/queries.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import { createWebhook } from './create-webhook.ts';
import { deleteWebhook } from './delete-webhook.ts';
import { listWebhooks, readHealth, showWebhook } from './list-webhooks.ts';
import { pingWebhook } from './ping-webhook.ts';
import { revealSecret, rotateSecret, signingSecrets } from './signing-secrets.ts';
import { pauseWebhook, resumeWebhook, updateWebhook } from './update-webhook.ts';

const secrets = signingSecrets(Buffer.alloc(32, 4));

let db: TestDatabase;
before(async () => (db = await createTestDatabase('service')));
after(() => db[Symbol.asyncDispose]());

async function account(id: string): Promise<string> {
  await db.database.rows('insert into accounts (id, studio_id, studio_account_id) values ($1, $1, $1)', [id]);
  return id;
}

const create = (accountId: string) =>
  createWebhook(
    db.database,
    secrets,
    {
      accountId,
      url: 'https://8.8.8.8/hook',
      events: ['upload.ready'],
      allow: [],
    },
    operator.actor,
  );
const refused = (code: string) => (error: unknown) => error instanceof ApiProblem && error.code === code;

test('an account has ten endpoints at most, however many are made at once; a deleted one frees its slot', async () => {
  const accountId = await account('acc_many');
  const outcomes = await Promise.allSettled(Array.from({ length: 14 }, () => create(accountId)));
  const made = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value.id] : []));
  assert.equal(made.length, 10);
  for (const one of outcomes) if (one.status === 'rejected') assert.ok(refused('conflict')(one.reason));
  await deleteWebhook(db.database, made[0] ?? '', operator);
  await create(accountId);
  await assert.rejects(create(accountId), refused('conflict'));
  assert.equal((await listWebhooks(db.database, accountId)).length, 10);
  await assert.rejects(create('acc_none'), refused('not_found'));
});

test('secrets are nowhere in clear, and gone with the endpoint', async () => {
  const accountId = await account('acc_secret');
  const { id, secret } = await create(accountId);
  const { secret: fresh } = await rotateSecret(db.database, secrets, id, operator);
  const row = async () =>
    JSON.stringify(await db.database.rows('select * from webhook_endpoints where id = $1', [id]));
  for (const text of [secret, fresh]) assert.ok(!(await row()).includes(text.slice(6)));
  assert.equal((await revealSecret(db.database, secrets, id, operator)).secret, fresh);
  await assert.rejects(revealSecret(db.database, signingSecrets(Buffer.alloc(32, 9)), id, operator));
  await deleteWebhook(db.database, id, operator);
  assert.match(await row(), /"secret_sealed":"","previous_secret_sealed":null/);
});

test('an encrypted secret that is moved to another endpoint cannot be read there', async () => {
  const accountId = await account('acc_moved');
  const [one, other] = [await create(accountId), await create(accountId)];
  await db.database.rows(
    `update webhook_endpoints set secret_sealed = (select secret_sealed from webhook_endpoints where id = $1)
      where id = $2`,
    [one.id, other.id],
  );
  await assert.rejects(revealSecret(db.database, secrets, other.id, operator), {
    name: 'DecryptionError',
  });
});

test('to another account an endpoint is unknown, like one that never was', async () => {
  const mine = await create(await account('acc_mine'));
  const owner = { accountId: await account('acc_other'), actor: operator.actor };
  for (const id of [mine.id, 'whk_none'])
    for (const ask of [
      () => pauseWebhook(db.database, id, owner),
      () => resumeWebhook(db.database, id, owner),
      () => deleteWebhook(db.database, id, owner),
      () => pingWebhook(db.database, id, owner),
      () => revealSecret(db.database, secrets, id, owner),
      () => rotateSecret(db.database, secrets, id, owner),
      () => updateWebhook(db.database, id, { events: [] }, owner),
      () => showWebhook(db.database, id, owner.accountId),
    ])
      await assert.rejects(ask(), refused('not_found'));
  assert.deepEqual(await listAudit(db.database, { accountId: owner.accountId, offset: 0, limit: 10 }), []);
  assert.deepEqual(await listWebhooks(db.database, owner.accountId), []);
  const [listed] = await listWebhooks(db.database, 'acc_mine');
  assert.deepEqual([listed?.status, listed?.failingSince], ['active', null]);
});

const actions = async (accountId: string) =>
  (await listAudit(db.database, { accountId, offset: 0, limit: 100 })).toReversed();

test('every act on an endpoint is written down once, without any secret', async () => {
  const accountId = await account('acc_audit');
  const { id, secret } = await create(accountId);
  await pauseWebhook(db.database, id, operator);
  await pauseWebhook(db.database, id, operator);
  await resumeWebhook(db.database, id, operator);
  await resumeWebhook(db.database, id, operator);
  await revealSecret(db.database, secrets, id, operator);
  const rotated = await rotateSecret(db.database, secrets, id, operator);
  const { deliveryId } = await pingWebhook(db.database, id, operator);
  await assert.rejects(
    updateWebhook(db.database, id, { url: 'https://127.0.0.1/' }, operator),
    refused('invalid_request'),
  );
  await deleteWebhook(db.database, id, operator);
  const entries = await actions(accountId);
  assert.deepEqual(
    entries.map(({ action, subject_id, subject_name, details }) => [
      action,
      subject_id,
      subject_name,
      details,
    ]),
    [
      ['webhook.created', { events: 'upload.ready' }],
      ['webhook.paused', {}],
      ['webhook.resumed', {}],
      ['webhook.secret_revealed', {}],
      ['webhook.secret_rotated', {}],
      ['webhook.pinged', { delivery: deliveryId }],
      ['webhook.deleted', {}],
    ].map(([action, details]) => [action, id, 'https://8.8.8.8/hook', details]),
  );
  for (const text of [secret, rotated.secret]) assert.ok(!JSON.stringify(entries).includes(text));
});

test('an endpoint changes what is asked for, and the URL is validated as for a new one', async () => {
  const accountId = await account('acc_change');
  const { id } = await create(accountId);
  await db.database.rows(
    `update endpoint_turns set state = 'failing', failing_since = clock() where endpoint_id = $1`,
    [id],
  );
  const change = (changes: Parameters<typeof updateWebhook>[2], asker = operator) =>
    updateWebhook(db.database, id, changes, asker);
  await change({ events: ['generation.failed', 'generation.succeeded'], status: 'paused' });
  const paused = await showWebhook(db.database, id, accountId);
  assert.deepEqual(
    [paused.url, paused.events, paused.status],
    ['https://8.8.8.8/hook', ['generation.succeeded', 'generation.failed'], 'paused'],
  );
  assert.notEqual(paused.failingSince, null);
  for (const url of ['http://8.8.8.8/', 'https://10.0.0.1/', 'https://u:p@8.8.8.8/', 'nothing'])
    await assert.rejects(change({ url, status: 'active' }), refused('invalid_request'));
  await assert.rejects(change({ events: ['ping'] }), refused('invalid_request'));
  assert.equal((await showWebhook(db.database, id, accountId)).status, 'paused');
  await change({ url: 'https://8.8.4.4:8443/new', status: 'active' });
  const moved = await showWebhook(db.database, id, accountId);
  assert.deepEqual(
    [moved.url, moved.status, moved.failingSince],
    ['https://8.8.4.4:8443/new', 'active', null],
  );
  assert.deepEqual(
    (await actions(accountId)).slice(1).map(({ action, details }) => [action, details]),
    [
      ['webhook.updated', { events: 'generation.succeeded, generation.failed' }],
      ['webhook.paused', {}],
      ['webhook.updated', { url: 'https://8.8.4.4:8443/new' }],
      ['webhook.resumed', {}],
    ],
  );
});

test('the health of an endpoint counts its own last day without tests that fail, and no count passes a thousand', async () => {
  const accountId = await account('acc_health');
  const [one, other] = [(await create(accountId)).id, (await create(accountId)).id];
  const add = (endpointId: string, status: string, hours: number, count: number, type = 'upload.ready') =>
    db.database.rows(
      `with event as (
         insert into events (id, account_id, type, subject_id, body, created_at)
         select 'evt_' || gen_random_uuid(), $1, $6, gen_random_uuid()::text, '{}', clock()
           from generate_series(1, $5) returning id
       ), delivery as (
         insert into deliveries (id, endpoint_id, account_id, event_id, event_type, status, given_up, created_at,
                                 completed_at)
         select replace(id, 'evt', 'dlv'), $2, $1, id, $6, $3, case when $3 = 'failed' then $3 end,
                clock() - $4 * interval '1 hour', case when $3 <> 'pending' then clock() end from event returning id)
       insert into delivery_queue (delivery_id, endpoint_id, ping, scheduled_at, claim_at)
       select id, $2, $6 = 'ping', clock(), clock() from delivery where $3 = 'pending'`,
      [accountId, endpointId, status, hours, count, type],
    );
  await add(one, 'delivered', 1, 1_005);
  await add(one, 'failed', 23, 2);
  await add(one, 'pending', 30, 3);
  await add(other, 'delivered', 25, 4);
  await add(other, 'failed', 25, 5);
  for (const status of ['delivered', 'failed', 'pending']) await add(other, status, 1, 6, 'ping');
  const health = await readHealth(db.database, [one, other, 'whk_none']);
  assert.deepEqual(health.get(one), { delivered: 1_000, failed: 2, pending: 3 });
  assert.deepEqual(health.get(other), { delivered: 6, failed: 0, pending: 0 });
  await db.database.rows('vacuum analyze deliveries');
  const scans = async () =>
    (
      await db.database.rows<{ read: number }>(
        `select pg_stat_force_next_flush(), seq_tup_read as read from pg_stat_user_tables where relname = 'deliveries'`,
      )
    )[0]?.read;
  const before_ = await scans();
  await readHealth(db.database, [one, other]);
  assert.equal(await scans(), before_);
});
