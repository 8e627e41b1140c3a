import type { Database } from '@renderkit/server-kit/db/database.ts';

/** Counts unfinished renders by state, over all accounts. */
export async function countRenders(database: Database): Promise<Record<'queued' | 'running', number>> {
  const [row] = await database.rows<{ queued: number; running: number }>(
    `select count(*) filter (where status = 'queued')::int as queued,
            count(*) filter (where status = 'running')::int as running
       from renders where status in ('queued', 'running') and accepted_at > '-infinity'`,
  );
  return row ?? { queued: 0, running: 0 };
}

/** Returns the age in seconds of the render that has waited longest, 0 when none waits. */
export async function readOldestQueued(database: Database): Promise<number> {
  const [row] = await database.rows<{ seconds: number }>(
    `select extract(epoch from clock() - accepted_at)::float8 as seconds from renders
      where status in ('queued', 'running') and accepted_at > '-infinity' and status = 'queued' order by accepted_at limit 1`,
  );
  return row?.seconds ?? 0;
}
