import type { Database } from '@renderkit/server-kit/db/database.ts';

/**
 * Each statement removes at most `$1` rows that are older than an interval. The interval is part of the text, so that
 * the planner knows how few rows these are. `keptFor` in `cleaner.ts` has the intervals.
 */
const removals = {
  rate_windows: (age: string) => `delete from rate_windows where (key_id, minute) in (
      select key_id, minute from rate_windows where minute < clock() - interval '${age}' limit $1)`,
  manual_sends: (age: string) => `delete from manual_sends where id in (
      select id from manual_sends where sent_at < clock() - interval '${age}' limit $1)`,
  account_events: (age: string) => `delete from account_events where (account_id, seq) in (
      select account_id, seq from account_events where created_at < clock() - interval '${age}' limit $1)`,
  delivery_attempts: (age: string) => `delete from delivery_attempts where (delivery_id, try) in (
      select delivery_id, try from delivery_attempts where started_at < clock() - interval '${age}' limit $1)`,
  sessions: (age: string) => `delete from sessions where id in (
      select id from sessions where expires_at < clock() or last_seen_at < clock() - interval '${age}' limit $1)`,
  // Also removes attempts that a late resend may have left.
  deliveries: (age: string) => `with outdated as (
      select id from deliveries where created_at < clock() - interval '${age}' limit $1
    ), attempts as (
      delete from delivery_attempts where delivery_id in (select id from outdated)
    )
    delete from deliveries where id in (select id from outdated)`,
  events: (age: string) => `delete from events where id in (
      select id from events where created_at < clock() - interval '${age}' limit $1)`,
  // Their last deliveries were removed just before.
  webhook_endpoints: (age: string) => `delete from webhook_endpoints where id in (
      select id from webhook_endpoints where deleted_at < clock() - interval '${age}' limit $1)`,
  facade_calls: (age: string) => `delete from facade_calls where id in (
      select id from facade_calls where created_at < clock() - interval '${age}' limit $1)`,
  unapplied_changes: (age: string) => `delete from unapplied_changes where (account_id, seq) in (
      select account_id, seq from unapplied_changes where created_at < clock() - interval '${age}' limit $1)`,
} as const;

export type RetainedTable = keyof typeof removals;

/** Removes up to `atMost` rows that are older than `age`, one of our own intervals. Returns how many there were. */
export async function removeOutdated(
  database: Database,
  table: RetainedTable,
  { age, atMost }: { age: string; atMost: number },
): Promise<number> {
  return database.execute(removals[table](age), [atMost], `retain_${table}`);
}

/**
 * Adds search words to requests that an earlier release accepted. Handles at most `atMost` requests and returns how
 * many there were. Skips rows that another process is handling.
 */
export async function fillPromptWords(database: Database, atMost: number): Promise<number> {
  return database.execute(
    `update generation_requests r set words = prompt_words(g.account_id, r.render_request)
       from generations g
      where g.id = r.generation_id and r.generation_id in (
        select generation_id from generation_requests where words is null
         order by generation_id limit $1 for update skip locked)`,
    [atMost],
    'fill_prompt_words',
  );
}
