import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { GenerationRow } from '../present.ts';

/** A generation that is not final, and `at`, the database's time of this read. */
export type UnsettledRow = GenerationRow & { account_id: string; attempt: number; at: string };

/** Returns those of the given generations that are queued or running. */
export async function readUnsettled(
  database: Pick<Database, 'rows'>,
  asked: readonly { id: string; accountId: string }[],
): Promise<UnsettledRow[]> {
  return database.rows(
    `select g.id, g.account_id, g.kind, g.status, g.model, g.project_id, g.cost_millicredits, g.expected_outputs,
            g.outputs, g.error_code, g.error_message, g.prompt_id, g.metadata, g.created_at::text,
            g.submitted_at::text, g.completed_at::text, g.attempt, clock()::text as at
       from unnest($1::text[], $2::text[]) as asked (id, account_id)
      cross join lateral (
        select * from generations g
         where g.id = asked.id and g.account_id = asked.account_id and g.status in ('queued', 'running') limit 1) g`,
    [asked.map(({ id }) => id), asked.map(({ accountId }) => accountId)],
    'generations_unsettled',
  );
}

/**
 * Returns generations that were queued for longer than `ageMs`, oldest first. `untouched`: the studio cannot know them.
 */
export async function readTooOld(
  database: Database,
  old: { ageMs: number; atMost: number },
): Promise<{ id: string; account_id: string; untouched: boolean }[]> {
  return database.rows(
    `select id, account_id, not holds_slot and submit_sent_at is null as untouched
       from generations
      -- The last condition is always true. It lets the planner use the index.
      where status = 'queued' and created_at <= clock() - $1 * interval '1 millisecond' and completed_at is null
      order by created_at limit $2`,
    [old.ageMs, old.atMost],
    'generations_too_old',
  );
}

/** Returns the tokens of an account's submits with an unknown outcome; 200 at most. */
export async function readUnconfirmed(database: Database, accountId: string): Promise<string[]> {
  const rows = await database.rows<{ id: string }>(
    `select id from generations
      where account_id = $1 and submit_sent_at is not null and charge_ledger_seq is null and status = 'queued'
      limit 200`,
    [accountId],
    'generations_unconfirmed',
  );
  return rows.map(({ id }) => id);
}

/** Stores a change of the feed that could not be applied. */
export async function recordUnapplied(
  database: Database,
  change: { accountId: string; seq: number; token: string; content: string; reason: string },
): Promise<void> {
  await database.rows(
    `insert into unapplied_changes (account_id, seq, token, content, reason) values ($1, $2, $3, $4, $5)
     on conflict (account_id, seq) do update set content = excluded.content, reason = excluded.reason`,
    [change.accountId, change.seq, change.token, change.content, change.reason],
  );
}
