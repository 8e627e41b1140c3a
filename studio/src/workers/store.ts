import type { Database } from '@renderkit/server-kit/db/database.ts';

export async function writeBeat(database: Database, worker: string): Promise<void> {
  await database.rows(
    `insert into workers (id, beat_at) values ($1, clock())
     on conflict (id) do update set beat_at = excluded.beat_at`,
    [worker],
    'write_beat',
  );
}

export async function deleteWorker(database: Database, worker: string): Promise<void> {
  await database.rows('delete from workers where id = $1', [worker]);
}

export async function countAlive(database: Database, withinSeconds: number): Promise<number> {
  const [row] = await database.rows<{ alive: number }>(
    `select count(*)::integer as alive from workers where beat_at > clock() - $1 * interval '1 second'`,
    [withinSeconds],
    'count_alive_workers',
  );
  return row?.alive ?? 0;
}

/** Returns how many were removed. */
export async function deleteSilentWorkers(database: Database, seconds: number): Promise<number> {
  const rowCount = await database.execute(
    `delete from workers where beat_at < clock() - $1 * interval '1 second'`,
    [seconds],
  );
  return rowCount;
}
