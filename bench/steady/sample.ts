import { readdirSync } from 'node:fs';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { residentMegabytes } from '../process-usage.ts';

export type TableSample = { name: string; bytes: number; live: number; dead: number; vacuums: number };

/** The figures that must stay flat, at one moment. */
export type Sample = {
  /** Generations made so far. */
  made: number;
  /** Generations that have not ended, and deliveries that must still be made. */
  open: number;
  queued: number;
  /** Of the service. */
  megabytes: number;
  handles: number;
  tables: TableSample[];
};

/** Takes the figures of a service and its database. @throws if there is no /proc */
export async function takeSample(pid: number, database: Database): Promise<Sample> {
  const [counts] = await database.rows<{ made: number; open: number; queued: number }>(
    `select count(*)::integer as made, count(*) filter (where status in ('queued', 'running'))::integer as open,
            (select count(*)::integer from delivery_queue) as queued
     from generations`,
  );
  const tables = await database.rows<TableSample>(
    `select relname as name, pg_total_relation_size(relid)::float8 as bytes, n_live_tup::float8 as live,
            n_dead_tup::float8 as dead, autovacuum_count::integer as vacuums
     from pg_stat_user_tables order by relname`,
  );
  if (counts === undefined) throw new Error('the database counts nothing');
  return {
    ...counts,
    megabytes: residentMegabytes(pid) ?? Number.NaN,
    handles: readdirSync(`/proc/${pid}/fd`).length,
    tables,
  };
}
