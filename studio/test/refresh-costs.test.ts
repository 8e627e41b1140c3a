import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { consumePayload, findPayload } from '@renderkit/studio/identity/store.ts';

test('a refresh reads none of the thousands of tokens that its grant has used', async () => {
  await using opened = await createTestDatabase('studio', { poolSize: 1 });
  const { database } = opened;
  await database.rows(
    `insert into oidc_payloads (model, id, payload, grant_id, consumed_at, expires_at)
     select 'RefreshToken', 'token' || i, json_build_object('rotations', i), 'grant' || i % 3,
       case when i <= 29990 then clock() - interval '1 hour' end, clock() + interval '1 day'
     from generate_series(1, 30000) i`,
  );
  await database.rows('analyze oidc_payloads');
  await database.rows('select pg_stat_reset()');
  const unused = 'token29995';
  assert.equal((await findPayload(database, 'id', 'RefreshToken', unused))?.consumed_at_seconds, null);
  assert.equal(await consumePayload(database, 'RefreshToken', unused), true);
  assert.equal((await findPayload(database, 'id', 'RefreshToken', unused))?.consumed_at_seconds, null);
  assert.equal(await consumePayload(database, 'RefreshToken', 'token29000'), false);
  let seen = { tuples: 0, scans: 0 };
  for (let look = 0; look < 100 && seen.scans === 0; look++) {
    await database.rows('select pg_stat_force_next_flush()');
    const [row] = await database.rows<{ tuples: number; scans: number }>(
      `select (sum(i.idx_tup_read) + max(t.seq_tup_read))::integer as tuples, sum(i.idx_scan)::integer as scans
       from pg_stat_user_indexes i join pg_stat_user_tables t using (relid) where t.relname = 'oidc_payloads'`,
    );
    seen = row ?? seen;
  }
  assert.ok(seen.scans > 0);
  assert.ok(seen.tuples < 50, `${seen.tuples} rows and entries of indexes were read`);
});
