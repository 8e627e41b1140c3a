import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Database, openDatabase } from '@renderkit/server-kit/db/database.ts';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import {
  claimRender,
  findServed,
  releaseLeases,
  renewLeases,
  takeOver,
} from '@renderkit/studio/backends/claim-queries.ts';
import { findDrained } from '@renderkit/studio/backends/rest-queries.ts';
import { queueReasons, whyWaiting } from '@renderkit/studio/backends/waiting-queries.ts';
import { backends, dryBackend, fillQueue } from './rows.ts';

const worker = 'wrk_test';
const leaseMs = 60_000;

/**
 * Returns how often whole tables were read until now. The database has only one connection, whose statistics are
 * flushed first.
 */
async function wholeReads(database: Database): Promise<Record<string, number>> {
  await database.rows('select pg_stat_force_next_flush()');
  const rows = await database.rows<{ relname: string; seq_scan: number }>(
    `select relname, seq_scan::integer from pg_stat_user_tables where relname in ('renders', 'submissions', 'accounts')`,
  );
  return Object.fromEntries(rows.map(({ relname, seq_scan }) => [relname, seq_scan]));
}

test('with 20,000 renders that wait and as many that ran, no claim reads a whole table', async () => {
  await using opened = await createTestDatabase('studio');
  const connection = { url: opened.url, poolSize: 1, applicationName: 'test', statementTimeoutMs: 0 };
  await using database = openDatabase(connection);
  await fillQueue(database);
  await database.rows(
    `insert into renders (id, account_id, token, client_id, status, kind, lane, model, model_version, cost_millicredits,
       expected_outputs, tag)
     select 'old_' || n, 'acc_' || n % 200, 'old_' || n, 'client', 'succeeded', 'image', 'image', 'model-' || 1 + n % 30, 1, 5000,
       1, clock() from generate_series(1, 20000) as n`,
  );
  await database.rows(
    `insert into submissions (id, render_id, attempt, backend, model_id, version, route, first_output, outputs, state, lease_until)
     select gen_random_uuid(), 'old_' || n, 1, 'gpu' || n % 7, 'model-' || 1 + n % 30, 1, 0, 0, 1, 'done', clock()
     from generate_series(1, 20000) as n`,
  );
  await database.rows('analyze');
  const before = await wholeReads(database);
  const ids: string[] = [];
  const renders: string[] = [];
  for (let n = 0; n < 20; n++) {
    const backend = backends[n % backends.length] as string;
    const claim = await claimRender(database, { backend, worker, leaseMs, lanes: null });
    assert.ok(claim, backend);
    ids.push(claim.id);
    renders.push(claim.render_id);
  }
  const nothing = await claimRender(database, { backend: dryBackend, worker, leaseMs, lanes: null });
  assert.equal(nothing, undefined);
  await findServed(database, { engines: ['comfyui', 'fal'], labels: [] });
  assert.equal((await renewLeases(database, { ids, worker, leaseMs })).size, ids.length);
  await findDrained(database, worker);
  await whyWaiting(database, 'rnd_20000');
  await queueReasons(database, ['rnd_20000', 'rnd_19999', ...renders]);
  await releaseLeases(database, worker);
  const taken = await takeOver(database, { backends, worker: 'wrk_other', leaseMs, held: [], atMost: 20 });
  assert.equal(taken.length, ids.length);
  assert.deepEqual(await wholeReads(database), before);
});
