import type { Database } from '@renderkit/server-kit/db/database.ts';

/**
 * Deletes old progress rows of ended renders. Such a row remains when a render ends just before its progress is
 * written. Otherwise `studio/sql/functions/finish_render.sql` deletes the row. Returns how many.
 */
export async function forgetOldProgress(database: Database, atMost: number): Promise<number> {
  return database.execute(
    `delete from render_progress where render_id in (
       select p.render_id from render_progress p where p.reported_at < clock() - interval '1 hour'
         and coalesce(p.watched_until, '-infinity') < clock()
         and not exists (select from renders r where r.id = p.render_id and r.status in ('queued', 'running')) limit $1)`,
    [atMost],
  );
}
