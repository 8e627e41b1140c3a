import type { Database } from '@renderkit/server-kit/database.ts';

/** What is counted together, and how often within a window it may be tried. */
export type Subject = { key: string; most: number };

/**
 * Counts a try for each subject, in one statement before anything is looked at: parallel tries cannot all be the
 * first. Undefined when every subject may go on; else the seconds until all may again. Windows begin with their
 * first try and are not prolonged by more.
 */
export async function countAttempt(
  database: Database,
  subjects: Subject[],
  windowSeconds: number,
): Promise<number | undefined> {
  const [row] = await database.rows<{ seconds: number | null }>(
    `with asked as (select * from unnest($1::text[], $2::integer[]) as asked (subject, most)),
     counted as (
       insert into sign_in_attempts as a (subject, attempts, window_ends_at)
       select subject, 1, clock() + $3 * interval '1 second' from asked order by subject
       on conflict (subject) do update set
         attempts = case when a.window_ends_at <= clock() then 1 else a.attempts + 1 end,
         window_ends_at = case when a.window_ends_at <= clock() then excluded.window_ends_at else a.window_ends_at end
       returning subject, attempts, window_ends_at)
     select max(ceil(extract(epoch from window_ends_at - clock())))::integer as seconds
     from counted join asked using (subject) where attempts > most`,
    [subjects.map(({ key }) => key), subjects.map(({ most }) => most), windowSeconds],
    'count_attempt',
  );
  return row?.seconds ?? undefined;
}

/** Takes a try back that turned out to be the person's own. */
export async function forgiveAttempt(database: Database, subjects: Subject[]): Promise<void> {
  await database.rows(
    `with mine as (select subject from sign_in_attempts where subject = any($1) order by subject for update)
     update sign_in_attempts a set attempts = a.attempts - 1 from mine where a.subject = mine.subject`,
    [subjects.map(({ key }) => key)],
    'forgive_attempt',
  );
}

/** Removes windows that have ended, a batch at a time. */
export async function deleteEndedWindows(database: Database, atMost: number): Promise<number> {
  const { rowCount } = await database.pool.query(
    `delete from sign_in_attempts where ctid = any(array(
       select ctid from sign_in_attempts where window_ends_at <= clock() limit $1))`,
    [atMost],
  );
  return rowCount ?? 0;
}
