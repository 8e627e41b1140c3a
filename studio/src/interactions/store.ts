import type { Database } from '@renderkit/server-kit/db/database.ts';

/** What is counted together, named by its kind and parts, and how often within a window it may be tried. */
export type Subject = { of: readonly string[]; most: number };

// The row is to tell nobody's address. The database's own idea of lower case is what accounts are found by; with
// another one an account could be guessed at under many spellings.
const keyed = (text: string) => `encode(sha256(convert_to(lower(${text}), 'UTF8')), 'base64')`;

/**
 * Counts a try, in one statement before anything is looked at: parallel tries cannot all be the first. Undefined when it
 * may go on; else the seconds until one may again. Windows begin with their first try and are not prolonged by more.
 */
export async function countAttempt(
  database: Database,
  subject: Subject,
  windowSeconds: number,
): Promise<number | undefined> {
  const [row] = await database.rows<{ attempts: number; seconds: number }>(
    `insert into sign_in_attempts as a (subject, attempts, window_ends_at)
     values (${keyed('$1::text')}, 1, clock() + $2 * interval '1 second')
     on conflict (subject) do update set
       attempts = case when a.window_ends_at <= clock() then 1 else a.attempts + 1 end,
       window_ends_at = case when a.window_ends_at <= clock() then excluded.window_ends_at else a.window_ends_at end
     returning attempts, ceil(extract(epoch from window_ends_at - clock()))::integer as seconds`,
    [nameOf(subject), windowSeconds],
    'count_attempt',
  );
  return row !== undefined && row.attempts > subject.most ? row.seconds : undefined;
}

/** Takes a try back that turned out to be the person's own. */
export async function forgiveAttempt(database: Database, subjects: readonly Subject[]): Promise<void> {
  await database.rows(
    `with mine as (
       select subject from sign_in_attempts
       where subject in (select ${keyed('text')} from unnest($1::text[]) as mine (text))
       order by subject for update)
     update sign_in_attempts a set attempts = a.attempts - 1 from mine where a.subject = mine.subject`,
    [subjects.map(nameOf)],
    'forgive_attempt',
  );
}

function nameOf({ of }: Subject): string {
  return JSON.stringify(of);
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
