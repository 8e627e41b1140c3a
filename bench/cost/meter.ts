import { readFileSync } from 'node:fs';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Part } from '@renderkit/server-kit/testing/part.ts';
import type { Bench } from '../benchmark.ts';
import type { Platform } from '../platform.ts';
import { cpuSeconds, treeCpuSeconds } from '../process-usage.ts';

/** The cost of a piece of work, divided by how often it was done. */
export type Cost = {
  /** CPU milliseconds of each process. The worker includes the processes that it started. */
  cpuMs: { service: number; studio: number; worker: number; PostgreSQL: number };
  /**
   * Bytes that service and studio read and wrote in all: sockets to clients, to each other and to PostgreSQL, and
   * files.
   */
  bytes: { service: number; studio: number };
  /** Bytes of the write-ahead log. */
  walBytes: number;
  /** By how many bytes the tables, and their indexes, of both databases grew. Dead rows of updates are included. */
  rowBytes: number;
  indexBytes: number;
};

/**
 * Does a piece of work and returns the cost of one of `count`. Nothing else may use the platform or the cluster
 * meanwhile.
 */
export async function measureCost(
  bench: Bench,
  platform: Platform,
  work: () => Promise<number>,
): Promise<Cost> {
  const before = await look(bench, platform);
  const count = await work();
  const after = await look(bench, platform);
  const each = (of: (seen: Seen) => number) => (of(after) - of(before)) / count;
  return {
    cpuMs: {
      service: each(({ service }) => service.cpu) * 1_000,
      studio: each(({ studio }) => studio.cpu) * 1_000,
      worker: each(({ workerCpu }) => workerCpu) * 1_000,
      PostgreSQL: each(({ postgresCpu }) => postgresCpu) * 1_000,
    },
    bytes: { service: each(({ service }) => service.bytes), studio: each(({ studio }) => studio.bytes) },
    walBytes: each(({ wal }) => wal),
    rowBytes: each(({ rows }) => rows),
    indexBytes: each(({ indexes }) => indexes),
  };
}

type Seen = Awaited<ReturnType<typeof look>>;

async function look(bench: Bench, platform: Platform) {
  const sizes = [await sizesOf(platform.serviceDatabase), await sizesOf(platform.studioDatabase)];
  const [log] = await platform.serviceDatabase.rows<{ position: number }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as position`,
  );
  const usage = (part: Part) => ({
    cpu: cpuSeconds(part.pid) ?? Number.NaN,
    bytes: bytesMoved(part.pid) ?? Number.NaN,
  });
  return {
    service: usage(platform.service),
    studio: usage(platform.studio),
    workerCpu: platform.worker === undefined ? 0 : (treeCpuSeconds(platform.worker.pid) ?? Number.NaN),
    postgresCpu: bench.cluster.cpuSeconds() ?? Number.NaN,
    wal: log?.position ?? Number.NaN,
    rows: sizes.reduce((sum, { rows }) => sum + rows, 0),
    indexes: sizes.reduce((sum, { indexes }) => sum + indexes, 0),
  };
}

async function sizesOf(database: Database): Promise<{ rows: number; indexes: number }> {
  const [sizes] = await database.rows<{ rows: number; indexes: number }>(
    `select sum(pg_table_size(oid))::float8 as rows, sum(pg_indexes_size(oid))::float8 as indexes
     from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  return sizes ?? { rows: Number.NaN, indexes: Number.NaN };
}

/** Returns the bytes that a process read and wrote since it began, by any call; undefined except on Linux. */
function bytesMoved(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/io`, 'utf8');
    const of = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)?.[1]);
    return of('rchar') + of('wchar');
  } catch {
    return undefined;
  }
}
