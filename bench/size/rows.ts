import type { Database } from '@renderkit/server-kit/db/database.ts';

export const statuses = ['queued', 'running', 'succeeded', 'failed', 'canceled'] as const;
export const kinds = ['image', 'image_edit', 'video', 'video_extend'] as const;

/** Rows are written in pieces of this size, so that each statement stays short. */
const pieceRows = 100_000;
const runningRows = 40;
const queuedRows = 1_000;

/**
 * Fills a service's database for one account: `count` generations of every kind and status, with requests and events as
 * a service would have stored them. The newest of them wait and run. A small and a large database have the same shares.
 */
export async function fillGenerations(
  database: Database,
  options: { accountId: string; count: number },
): Promise<void> {
  const ended = options.count - runningRows - queuedRows;
  const restoreIndexes = await dropIndexes(database);
  for (let from = 1; from <= ended; from += pieceRows)
    await insertEnded(database, { ...options, from, to: Math.min(ended, from + pieceRows - 1) });
  await restoreIndexes();
  await insertQueued(database, { accountId: options.accountId, count: runningRows + queuedRows });
  await database.rows(
    `update generations set status = 'running', holds_slot = true, submitted_at = clock(), heard_at = clock(),
            charge_ledger_seq = 1, lane = 'edit'
      where id in (select id from generations where status = 'queued' order by created_at limit $1)`,
    [runningRows],
  );
  await setCounters(database, options.accountId);
  for (const table of ['generations', 'generation_requests', 'events', 'accounts'])
    await database.rows(`vacuum (analyze, freeze) ${table}`);
  // Finishes the disk writes before anything is timed.
  await database.rows('checkpoint');
}

/**
 * Drops the indexes and returns a function that builds them again. Building them at the end takes a fraction of the
 * time of filling them row by row.
 */
async function dropIndexes(database: Database): Promise<() => Promise<void>> {
  const indexes = await database.rows<{ name: string; definition: string }>(
    `select i.indexname as name, i.indexdef as definition from pg_indexes i
      where i.tablename in ('generations', 'events')
        and not exists (select from pg_constraint c where c.conname = i.indexname)`,
  );
  for (const { name } of indexes) await database.rows(`drop index ${name}`);
  return async () => {
    for (const { definition } of indexes) await database.rows(definition);
  };
}

// Ids end in the row's number: they are as long as the product's and sort by time like them.
const idOf = (prefix: string, n: string) => `'${prefix}' || lpad(to_hex(${n}), 26, '0')`;

async function insertEnded(
  database: Database,
  piece: { accountId: string; count: number; from: number; to: number },
): Promise<void> {
  await database.transaction(async (transaction) => {
    // Skips the checks of foreign keys, which hold by construction.
    await transaction.execute('set local session_replication_role = replica');
    await transaction.execute('set local synchronous_commit = off');
    await transaction.execute(
      `with ended as (
       insert into generations (id, account_id, key_id, kind, lane, status, model, project_id, cost_millicredits,
                                expected_outputs, outputs, metadata, prompt_id, created_at, submitted_at,
                                completed_at, budget_day, charge_ledger_seq)
       select ${idOf('gen_', 'n')}, $1, 'key_of_the_past',
              (array['image', 'image', 'image', 'image', 'image_edit', 'image_edit', 'video', 'video_extend'])[1 + n % 8],
              (array['image', 'image', 'image', 'image', 'edit', 'edit', 'video', 'video'])[1 + n % 8],
              (array['succeeded', 'succeeded', 'succeeded', 'succeeded', 'succeeded', 'succeeded', 'succeeded',
                     'failed', 'canceled'])[1 + n % 9],
              'atelier-1', 'prj_01kaf3v5w8m2x9q4t7r6y1z0bc', 4000, 1,
              '[{"id":"out_","type":"image","url":"https://studio.example/media/picture.png"}]', '{"order":"4711"}',
              'prm_01kaf3v5w8m2x9q4t7r6y1z0bc', at, at, at, (at at time zone 'UTC')::date, 1
         from (select n, clock() - ($2 - n + 3600) * interval '1 second' as at
                 from generate_series($3::bigint, $4::bigint) as n) numbers
       returning id
     ), asked as (
       insert into generation_requests (generation_id, render_request, quote) select id, '{}', 'quote' from ended
     )
     insert into events (id, account_id, type, subject_id, body, created_at)
     select 'evt_' || substr(id, 5), $1, 'generation.succeeded', id, '{}', clock() from ended`,
      [piece.accountId, piece.count, piece.from, piece.to],
    );
  });
}

/** Adds generations that wait in the image lane. */
export async function insertQueued(
  database: Database,
  options: { accountId: string; count: number },
): Promise<void> {
  await database.rows(
    `with queued as (
       insert into generations (id, account_id, key_id, kind, lane, status, model, cost_millicredits, expected_outputs,
                                created_at, budget_day)
       select 'gen_' || substr(md5(random()::text || n), 1, 26), $1, 'key_of_the_past', 'image', 'image', 'queued',
              'atelier-1', 4000, 1, clock() + n * interval '1 microsecond', (clock() at time zone 'UTC')::date
         from generate_series(1, $2::int) as n
       returning id
     )
     insert into generation_requests (generation_id, render_request, quote) select id, '{}', 'quote' from queued`,
    [options.accountId, options.count],
  );
  await setCounters(database, options.accountId);
}

async function setCounters(database: Database, accountId: string): Promise<void> {
  await database.rows(
    `update accounts a set queued_image = g.waits, uncharged_millicredits = g.waits * 4000
       from (select count(*) as waits from generations where account_id = $1 and status = 'queued') g
      where a.id = $1`,
    [accountId],
  );
}

/** Adds an account with known limits. Its session is not live until `setConnection` makes it so. */
export async function insertAccount(database: Database, accountId: string, limit: number): Promise<void> {
  await database.rows(
    `with account as (
       insert into accounts (id, studio_id, studio_account_id, limit_overall, limit_image, limit_edit, limit_video,
                             limits_read_at)
       values ($1, 'std_bench', 'account', $2::int + $3::int, $2, $3, 1, clock()) returning id
     )
     insert into connections (account_id, status) select id, 'ended' from account`,
    [accountId, limit, runningRows],
  );
}

export async function setConnection(database: Database, status: 'live' | 'ended'): Promise<void> {
  await database.rows('update connections set status = $1', [status]);
}
