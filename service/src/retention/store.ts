import type { Database } from '@renderkit/server-kit/db/database.ts';

/** What is kept for so long and no longer. Each statement removes a batch at most and answers how many it removed. */
const removals = {
  rate_windows: `delete from rate_windows where (key_id, minute) in (
      select key_id, minute from rate_windows where minute < clock() - interval '5 minutes' limit $1)`,
  manual_sends: `delete from manual_sends where id in (
      select id from manual_sends where sent_at < clock() - interval '5 minutes' limit $1)`,
  delivery_attempts: `delete from delivery_attempts where (delivery_id, try) in (
      select delivery_id, try from delivery_attempts where started_at < clock() - interval '30 days' limit $1)`,
  sessions: `delete from sessions where id in (
      select id from sessions where expires_at < clock() or last_seen_at < clock() - interval '7 days' limit $1)`,
  // With what a late resend of theirs may have left.
  deliveries: `with outdated as (
      select id from deliveries where created_at < clock() - interval '90 days' limit $1
    ), attempts as (
      delete from delivery_attempts where delivery_id in (select id from outdated)
    )
    delete from deliveries where id in (select id from outdated)`,
  events: `delete from events where id in (
      select id from events where created_at < clock() - interval '90 days' limit $1)`,
  // Their last deliveries went just before.
  webhook_endpoints: `delete from webhook_endpoints where id in (
      select id from webhook_endpoints where deleted_at < clock() - interval '90 days' limit $1)`,
  unapplied_changes: `delete from unapplied_changes where (account_id, seq) in (
      select account_id, seq from unapplied_changes where created_at < clock() - interval '30 days' limit $1)`,
} as const;

export const retainedTables = Object.keys(removals) as (keyof typeof removals)[];

/** Removes up to `atMost` rows that are past their time; how many there were. */
export async function removeOutdated(
  database: Database,
  table: keyof typeof removals,
  atMost: number,
): Promise<number> {
  return database.execute(removals[table], [atMost], `retain_${table}`);
}
