import type { Database } from '@renderkit/server-kit/db/database.ts';

/** Rows are written in pieces of this size, so that each statement stays short. */
const pieceRows = 100_000;
const accountId = 'usr_0000000000000000000migrate';

/** Fills a studio's database for one account with renders that ended, as a studio would have stored them. */
export async function fillRenders(database: Database, count: number): Promise<void> {
  await database.rows(
    `insert into accounts (id, tier, allowance_millicredits, refill_anchor, last_refill_at, next_refill_at,
                           limit_image, limit_edit, limit_video, limit_overall)
     values ($1, 'plus', 0, clock(), clock(), clock() + interval '30 days', 8, 8, 8, 8)`,
    [accountId],
  );
  for (let from = 1; from <= count; from += pieceRows)
    await insertRenders(database, from, Math.min(count, from + pieceRows - 1));
  await database.rows('vacuum (analyze, freeze) renders');
  // Finishes the disk writes before anything is timed.
  await database.rows('checkpoint');
}

async function insertRenders(database: Database, from: number, to: number): Promise<void> {
  await database.transaction(async (transaction) => {
    // Skips the checks of foreign keys, which hold by construction.
    await transaction.execute('set local session_replication_role = replica');
    await transaction.execute('set local synchronous_commit = off');
    await transaction.execute(
      `insert into renders (id, account_id, token, client_id, status, kind, lane, model, request, prompt_id,
                            project_id, cost_millicredits, ledger_seq, expected_outputs, attempt, accepted_at,
                            started_at, completed_at)
       select 'rnd_' || lpad(to_hex(n), 26, '0'), $1, 'gen_' || lpad(to_hex(n), 26, '0'), 'renderkit-service',
              (array['succeeded', 'succeeded', 'succeeded', 'failed'])[1 + n % 4], 'image', 'image', 'atelier-1',
              '{"kind":"image","model":"atelier-1","prompt":"a mountain above a calm lake","options":{"seed":-1}}',
              'prm_01kaf3v5w8m2x9q4t7r6y1z0bc', 'prj_01kaf3v5w8m2x9q4t7r6y1z0bc', 4000, n, 1, 1, at, at, at
         from (select n, clock() - ($3 - n + 3600) * interval '1 second' as at
                 from generate_series($2::bigint, $3::bigint) as n) numbers`,
      [accountId, from, to],
    );
  });
}
