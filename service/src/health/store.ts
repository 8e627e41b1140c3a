import type { Database } from '@renderkit/server-kit/db/database.ts';

export type DatabaseState = {
  /** By the database's own clock, in milliseconds. */
  now_ms: number;
  /** Age of the oldest snapshot in use: PostgreSQL cleans up nothing newer until it ends. */
  oldest_snapshot_seconds: number;
};

export async function readDatabaseState(database: Database): Promise<DatabaseState> {
  const [row] = await database.rows<DatabaseState>(
    `select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms,
            coalesce(max(extract(epoch from clock_timestamp() - xact_start)) filter (where backend_xmin is not null), 0)::float8
              as oldest_snapshot_seconds
       from pg_stat_activity where datname = current_database()`,
  );
  if (row === undefined) throw new Error('an aggregate gave no row');
  return row;
}

/** Returns how many generations wait, by kind, over all accounts. */
export async function readQueueDepth(
  database: Database,
): Promise<Record<'image' | 'edit' | 'video', number>> {
  const [row] = await database.rows<{ image: number; edit: number; video: number }>(
    `select coalesce(sum(queued_image), 0)::int as image, coalesce(sum(queued_edit), 0)::int as edit,
            coalesce(sum(queued_video), 0)::int as video from accounts`,
  );
  return row ?? { image: 0, edit: 0, video: 0 };
}

/** Returns the age in seconds of the generation that has waited longest; 0 when none waits. */
export async function readOldestWaiting(database: Database): Promise<number> {
  const [row] = await database.rows<{ seconds: number }>(
    `select extract(epoch from clock() - created_at)::float8 as seconds from generations
      -- The last condition is always true. It lets the planner use the index.
      where status = 'queued' and completed_at is null order by created_at limit 1`,
  );
  return row?.seconds ?? 0;
}

/**
 * Counts endpoints that have events to receive but accept none. A failed ping does not count: `failing_since` is null
 * for it.
 */
export async function countFailingEndpoints(database: Database): Promise<number> {
  const [row] = await database.rows<{ failing: number }>(
    `select count(*)::int as failing from endpoint_turns t join webhook_endpoints e on e.id = t.endpoint_id
      where t.state = 'failing' and t.failing_since is not null and e.paused_at is null and e.deleted_at is null`,
  );
  return row?.failing ?? 0;
}
