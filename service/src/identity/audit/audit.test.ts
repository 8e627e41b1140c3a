import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '@renderkit/server-kit/ids.ts';
import { createTestDatabase, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { eraseAudit, listAudit } from './queries.ts';
import { type Act, writeAudit } from './write-audit.ts';

let db: TestDatabase;
before(async () => (db = await createTestDatabase('service')));
after(() => db[Symbol.asyncDispose]());

const person = { kind: 'person', sessionId: 'ses_1', email: 'ada@example.org' } as const;

async function account(): Promise<string> {
  const id = newId('acc_');
  await db.database.rows('insert into accounts (id, studio_id, studio_account_id) values ($1, $1, $1)', [id]);
  return id;
}

const list = (accountId: string, filter: object = {}) =>
  listAudit(db.database, { accountId, offset: 0, limit: 100, ...filter });

test('what was done is listed newest first, with who did it, and to its own account alone', async () => {
  const accountId = await account();
  const act: Act = {
    accountId,
    action: 'key.created',
    subjectId: 'key_1',
    subjectName: '<b>first</b>',
    details: { scopes: 'read' },
  };
  await writeAudit(db.database, person, act);
  await writeAudit(db.database, { kind: 'operator' }, { accountId, action: 'key.revoked' });
  const [revoked, created] = await list(accountId);
  assert.deepEqual(
    { ...created, id: '', at: '' },
    {
      id: '',
      object: 'audit_entry',
      at: '',
      actor: 'person',
      email: 'ada@example.org',
      session_id: 'ses_1',
      action: 'key.created',
      subject_id: 'key_1',
      subject_name: '<b>first</b>',
      details: { scopes: 'read' },
    },
  );
  assert.deepEqual(
    [revoked?.actor, revoked?.email, revoked?.session_id, revoked?.details],
    ['operator', null, null, {}],
  );
  assert.deepEqual(await list(await account()), []);
});

test('entries are filtered by what was done and by whom, and come in pages', async () => {
  const accountId = await account();
  for (const action of ['key.created', 'key.revoked', 'key.created'] as const)
    await writeAudit(db.database, person, { accountId, action });
  await writeAudit(db.database, { kind: 'operator' }, { accountId, action: 'key.created' });
  assert.equal((await list(accountId, { action: 'key.created' })).length, 3);
  assert.equal((await list(accountId, { action: 'key.created', actor: 'person' })).length, 2);
  assert.equal((await list(accountId, { actor: 'operator' })).length, 1);
  const all = await list(accountId);
  assert.deepEqual(await list(accountId, { offset: 1, limit: 2 }), all.slice(1, 3));
});

test('an act that is rolled back leaves no entry, an erased account none either', async () => {
  const accountId = await account();
  const failing = db.database.transaction(async (transaction) => {
    await writeAudit(transaction, person, { accountId, action: 'key.created' });
    throw new Error('refused');
  });
  await assert.rejects(failing, /refused/);
  assert.deepEqual(await list(accountId), []);
  await writeAudit(db.database, person, { accountId, action: 'key.created' });
  assert.equal(await eraseAudit(db.database, accountId), 1);
  assert.equal(await eraseAudit(db.database, accountId), 0);
  assert.deepEqual(await list(accountId), []);
});
