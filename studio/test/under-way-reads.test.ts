import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';

const endedRows = 30_000;
const othersWaiting = 3_000;

/** The statements of a submit, a claim, a look and an end about one account or render, as in their functions. */
const statements = {
  'the limits of an account': `select limits_json('acc_own', 'client')`,
  'the next renders of a model': `select r.id from renders r
    where r.status = 'queued' and r.tag is not null and r.model = 'own' and r.model_version = 1 and r.kind = 'image'
      and r.tag <= clock() order by r.tag limit 3`,
  'a render that is claimed': `update renders set status = 'running'
    where id = (select id from renders where id = 'rnd_own' and status = 'queued' for update skip locked)`,
  'a render that ends': `update renders set status = 'failed', completed_at = clock()
    where id = 'rnd_own' and status in ('queued', 'running') and attempt = 0`,
  'why a render waits': `select w.* from (select r from renders r where r.id = 'rnd_own' offset 0) one, why_waiting(one.r) w
    where (one.r).status = 'queued' and (one.r).tag is not null`,
};

test('what is asked of one render or account reads no other that waits, of which the statistics know nothing', async () => {
  // One session, so that its transaction's own counts can be read.
  await using db = await createTestDatabase('studio', { poolSize: 1 });
  const { database } = db;
  await database.rows(
    `insert into accounts (id, tier, allowance_millicredits, refill_anchor, last_refill_at, next_refill_at, limit_image,
       limit_edit, limit_video, limit_overall)
     select id, 'free', 0, clock(), clock(), clock() + interval '1 month', 100, 100, 100, 100
     from unnest(array['acc_own', 'acc_other']) as id`,
  );
  await database.rows(
    `insert into models (id, newest_version) select id, 1 from unnest(array['own', 'other']) as id`,
  );
  await database.rows(
    `insert into model_versions (model_id, version, digest, manifest, source, published_at)
     select id, 1, id, '{}', '', clock() from unnest(array['own', 'other']) as id`,
  );
  const insert = (rows: string, status: string, tag: string) =>
    database.rows(
      `insert into renders (id, account_id, token, client_id, status, kind, lane, model, model_version, request, prompt_id,
         cost_millicredits, expected_outputs, shape, accepted_at, completed_at, tag)
       select id, account, id, 'client', '${status}', 'image', 'image', model, 1, '{}', 'prm', 5000, 1, '{}', at,
         case when '${status}' = 'succeeded' then at end, ${tag} from (${rows}) as r (id, account, model, at)`,
    );
  await insert(
    `select 'rnd_ended' || n, 'acc_other', 'other', clock() - interval '90 days' + n * interval '4 minutes'
       from generate_series(1, ${endedRows}) n`,
    'succeeded',
    'null',
  );
  await database.rows('analyze renders');
  await insert(
    `select 'rnd_waits' || n, 'acc_other', 'other', clock() - interval '1 minute' from generate_series(1, ${othersWaiting}) n`,
    'queued',
    'at',
  );
  await insert(`select 'rnd_own', 'acc_own', 'own', clock() - interval '1 minute'`, 'queued', 'at');
  const readSoFar = async () => {
    const [row] = await database.rows<{ read: number }>(
      `select (idx_tup_fetch + seq_tup_read)::integer as read from pg_stat_xact_user_tables where relname = 'renders'`,
    );
    return row?.read ?? Number.NaN;
  };
  for (const [what, statement] of Object.entries(statements)) {
    await database.rows('begin');
    // Counts of earlier transactions are included until they have been reported.
    const before = await readSoFar();
    await database.rows(statement);
    const read = (await readSoFar()) - before;
    await database.rows('rollback');
    assert.ok(read < 20, `${what}: ${read} read`);
  }
});
