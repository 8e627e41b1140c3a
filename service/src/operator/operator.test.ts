import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { newId } from '@renderkit/server-kit/ids.ts';
import { createTestDatabase, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { listAudit } from '../identity/audit/queries.ts';
import { openSession } from '../identity/sessions/open-session.ts';
import {
  connectAccount,
  createKey,
  createWebhook,
  deleteAccount,
  deleteWebhook,
  findAccount,
  findAccountByEmail,
  listAccounts,
  listDeliveries,
  listKeys,
  listWebhooks,
  pauseWebhook,
  pingWebhook,
  resumeWebhook,
  revealWebhookSecret,
  revokeKey,
  rotateWebhookSecret,
} from '../operator.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import { seedEvent, seedEvents } from '../webhooks/deliveries/testing/seed.ts';
import { type ErasureCursors, eraseDeletedAccounts } from './erase-accounts.ts';

describe('the operator', () => {
  let db: TestDatabase;
  before(async () => (db = await createTestDatabase('service')));
  after(() => db[Symbol.asyncDispose]());

  const connect = (email: string, studioAccountId = newId('stu_')) =>
    connectAccount(db.database, randomBytes(32), {
      studioId: 'studio',
      studioAccountId,
      email,
      refreshToken: 'r',
    });

  const addGeneration = async (accountId: string, status: 'queued' | 'running' | 'succeeded') => {
    const id = newId('gen_');
    await db.database.rows(
      `insert into generations (id, account_id, key_id, kind, lane, status, model, cost_millicredits, expected_outputs,
                                outputs, metadata, budget_day, completed_at, holds_slot)
       values ($1, $2, 'key', 'image', 'image', $3, 'm', 0, 1, '[{"url":"x"}]', '{"a":"b"}', current_date, $4, $5)`,
      [id, accountId, status, status === 'succeeded' ? new Date() : null, status === 'running'],
    );
    await db.database.rows(
      `insert into generation_requests (generation_id, render_request, quote, accepted_body) values ($1, 'text', 'q', 'b')`,
      [id],
    );
    if (status === 'queued')
      await db.database.rows('update accounts set queued_image = queued_image + 1 where id = $1', [
        accountId,
      ]);
    return id;
  };

  test('an account is found by its address, and by who it is at the studio', async () => {
    const { accountId } = await connect('ada@example.org', 'stu_ada');
    assert.equal((await connect('ada@example.org', 'stu_ada')).accountId, accountId);
    assert.equal(await findAccount(db.database, 'stu_ada'), accountId);
    assert.equal((await findAccountByEmail(db.database, 'ada@example.org'))?.connection, 'live');
    assert.equal(await findAccountByEmail(db.database, 'nobody@example.org'), undefined);
    assert.ok((await listAccounts(db.database)).some(({ id }) => id === accountId));
  });

  test('a key is made for an account named either way', async () => {
    const { accountId } = await connect('bob@example.org');
    await createKey(db.database, { accountEmail: 'bob@example.org', name: 'one' });
    await createKey(db.database, { accountId, name: 'two', scopes: ['read'] });
    assert.deepEqual((await listKeys(db.database, accountId)).map(({ name }) => name).sort(), ['one', 'two']);
    const refused = (code: string) => (error: unknown) => error instanceof ApiProblem && error.code === code;
    await assert.rejects(
      createKey(db.database, { accountEmail: 'no@example.org', name: 'x' }),
      refused('not_found'),
    );
    await assert.rejects(
      createKey(db.database, { accountId, name: 'x', scopes: ['all'] }),
      refused('invalid_request'),
    );
  });

  test('a deleted account is let in no more, its queue is canceled, its texts go when nothing runs', async () => {
    const { accountId } = await connect('eve@example.org', 'stu_eve');
    await createKey(db.database, { accountId, name: 'secret project' });
    const queued = await addGeneration(accountId, 'queued');
    const running = await addGeneration(accountId, 'running');
    const done = await addGeneration(accountId, 'succeeded');
    await createWebhook(db.database, randomBytes(32), {
      accountId,
      url: 'https://8.8.8.8/hook',
      events: ['generation.succeeded'],
      egressAllow: [],
    });
    for (let i = 0; i < 3; i++) await seedEvent(db.database, accountId);
    const read = () =>
      db.database.rows<{ id: string; status: string; outputs: string; metadata: string; requests: number }>(
        `select id, status, outputs, metadata,
                (select count(*) from generation_requests r where r.generation_id = g.id)::int as requests
           from generations g where account_id = $1`,
        [accountId],
      );

    await deleteAccount(db.database, accountId);
    assert.equal(await findAccount(db.database, 'stu_eve'), undefined);
    assert.deepEqual(await listWebhooks(db.database, accountId), []);
    assert.equal((await listDeliveries(db.database, { accountId, status: 'ended' })).length, 3);
    assert.deepEqual(
      (await listKeys(db.database, accountId)).map(({ status }) => status),
      ['revoked'],
    );
    const status = new Map((await read()).map((row) => [row.id, row.status]));
    assert.deepEqual(
      [status.get(queued), status.get(running), status.get(done)],
      ['canceled', 'running', 'succeeded'],
    );
    assert.ok(
      (await read()).every(({ requests }) => requests === 1),
      'something runs: nothing is erased yet',
    );

    await db.database.rows(
      `update generations set status = 'succeeded', holds_slot = false, completed_at = clock() where id = $1`,
      [running],
    );
    assert.deepEqual(await eraseDeletedAccounts(db.database), { erased: 1, more: false });
    assert.deepEqual(await eraseDeletedAccounts(db.database), { erased: 0, more: false });
    for (const table of ['events', 'webhook_endpoints', 'deliveries'])
      assert.deepEqual(
        await db.database.rows(`select 1 from ${table} where account_id = $1`, [accountId]),
        [],
      );
    for (const row of await read())
      assert.deepEqual([row.outputs, row.metadata, row.requests], ['[]', '{}', 0]);
    const rows = await db.database.rows('select * from accounts where id = $1', [accountId]);
    assert.doesNotMatch(JSON.stringify(rows), /eve@/);
    assert.deepEqual(
      (await listKeys(db.database, accountId)).map(({ name }) => name),
      [''],
    );
    await deleteAccount(db.database, accountId);
    await deleteAccount(db.database, 'acc_none');
  });

  test('an account too large for one round is erased in several', async () => {
    const { accountId } = await connect('max@example.org');
    for (let i = 0; i < 3; i++) await addGeneration(accountId, 'succeeded');
    await db.database.rows('update accounts set deleted_at = clock() where id = $1', [accountId]);
    await seedEvents(db.database, accountId, 1_200);
    const cursors: ErasureCursors = new Map();
    let rounds = 1;
    for (; (await eraseDeletedAccounts(db.database, cursors, 2)).more; rounds++) assert.ok(rounds < 10);
    assert.equal(rounds, 4);
    assert.deepEqual(await db.database.rows('select 1 from events where account_id = $1', [accountId]), []);
    assert.deepEqual(
      await db.database.rows('select 1 from accounts where id = $1 and email is not null', [accountId]),
      [],
    );
  });

  test('an upload that settles while its account is erased leaves no event behind', async () => {
    const { accountId } = await connect('kim@example.org');
    const upload = newId('upl_');
    await db.database.rows(
      `insert into uploads (id, account_id, status, type, url, file_name, content_type, size_bytes, processing_since)
       values ($1, $2, 'processing', 'image', 'https://x', 'x.png', 'image/png', 8, clock())`,
      [upload, accountId],
    );
    await db.database.rows('update accounts set deleted_at = clock() where id = $1', [accountId]);
    // The generation settles at the last moment, before its row is erased.
    let settled = false;
    const late: Database = {
      ...db.database,
      execute: async (text, values, name) => {
        if (text.startsWith('delete from uploads') && !settled) {
          settled = true;
          await seedEvent(db.database, accountId);
        }
        return db.database.execute(text, values, name);
      },
    };
    await eraseDeletedAccounts(late);
    for (const table of ['uploads', 'events'])
      assert.deepEqual(
        await db.database.rows(`select 1 from ${table} where account_id = $1`, [accountId]),
        [],
        table,
      );
  });

  test('a deletion that is cut off has ended nothing, and none that was done is undone by signing in', async () => {
    const studio = newId('stu_');
    const { accountId } = await connect('sam@example.org', studio);
    await createKey(db.database, { accountId, name: 'one' });
    const sessions = () => db.database.rows('select 1 from sessions where account_id = $1', [accountId]);
    await db.database.transaction((transaction) =>
      openSession(transaction, {
        accountId,
        email: null,
        userAgent: undefined,
        address: undefined,
        previousToken: undefined,
      }),
    );
    await db.database.rows(`create function cut_off() returns trigger language plpgsql as
      $$ begin raise exception 'cut off'; end $$`);
    await db.database.rows(
      'create trigger cut_off before delete on sessions for each row execute function cut_off()',
    );
    await assert.rejects(deleteAccount(db.database, accountId), /cut off/);
    await db.database.rows('drop function cut_off cascade');
    assert.equal(await findAccount(db.database, studio), accountId);
    assert.deepEqual(
      (await listKeys(db.database, accountId)).map(({ status }) => status),
      ['active'],
    );
    await deleteAccount(db.database, accountId);
    await connect('sam@example.org', studio);
    assert.deepEqual(await sessions(), []);
    assert.deepEqual(
      (await listKeys(db.database, accountId)).map(({ status }) => status),
      ['revoked'],
    );
  });

  test('an account that is connected anew while it is erased is left alone from there on', async () => {
    const studio = newId('stu_');
    const { accountId } = await connect('lee@example.org', studio);
    const old = await addGeneration(accountId, 'succeeded');
    await db.database.rows('update accounts set deleted_at = clock() where id = $1', [accountId]);
    await seedEvents(db.database, accountId, 2);
    let queued: string | undefined;
    const late: Database = {
      ...db.database,
      execute: async (text, values, name) => {
        if (text.startsWith('delete from uploads') && queued === undefined) {
          await connect('lee@example.org', studio);
          queued = await addGeneration(accountId, 'queued');
        }
        return db.database.execute(text, values, name);
      },
    };
    const cursors: ErasureCursors = new Map();
    assert.deepEqual(await eraseDeletedAccounts(late, cursors), { erased: 0, more: false });
    assert.deepEqual(cursors.size, 0);
    assert.equal((await findAccountByEmail(db.database, 'lee@example.org'))?.connection, 'live');
    const requests = await db.database.rows<{ generation_id: string }>(
      'select generation_id from generation_requests where generation_id = any ($1)',
      [[old, queued]],
    );
    assert.deepEqual(
      requests.map((row) => row.generation_id),
      [queued],
    );
    assert.equal(
      (await db.database.rows('select 1 from events where account_id = $1', [accountId])).length,
      2,
    );
  });

  test("what the operator does is written down as the operator's, until the account is erased", async () => {
    const { accountId } = await connect('zoe@example.org');
    const { id } = await createKey(db.database, { accountId, name: 'made by hand' });
    await revokeKey(db.database, id);
    const secretKey = randomBytes(32);
    const hook = { accountId, url: 'https://8.8.8.8/', events: [], egressAllow: [] };
    const { id: endpoint } = await createWebhook(db.database, secretKey, hook);
    await pauseWebhook(db.database, endpoint);
    await resumeWebhook(db.database, endpoint);
    await pingWebhook(db.database, endpoint);
    await revealWebhookSecret(db.database, secretKey, endpoint);
    await rotateWebhookSecret(db.database, secretKey, endpoint);
    await deleteWebhook(db.database, endpoint);
    const entries = await listAudit(db.database, { accountId, offset: 0, limit: 20 });
    assert.deepEqual(entries.map(({ action }) => action).toReversed(), [
      'connection.renewed',
      'key.created',
      'key.revoked',
      'webhook.created',
      'webhook.paused',
      'webhook.resumed',
      'webhook.pinged',
      'webhook.secret_revealed',
      'webhook.secret_rotated',
      'webhook.deleted',
    ]);
    for (const { actor, email, session_id: session } of entries)
      assert.deepEqual([actor, email, session], ['operator', null, null]);
    await deleteAccount(db.database, accountId);
    assert.deepEqual(await listAudit(db.database, { accountId, offset: 0, limit: 20 }), []);
  });
});
