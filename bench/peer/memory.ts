import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Bench, Result } from '../benchmark.ts';
import type { Platform } from '../platform.ts';
import { anonymousMegabytes, childrenOf, residentMegabytes } from '../process-usage.ts';
import { plainRow } from './plain-row.ts';
import type { Peer } from './start-peer.ts';

const drawsForSeconds = { quick: 5, full: 30 };
/** The benchmark's own connections, by their application names. */
const ownApplications = ['bench', 'e2e'];

type Megabytes = Record<string, number>;

/**
 * Compares the memory of both sides after reads and creates. Our worker is started for this and draws what the creates
 * have left, as it would in use; the peer's worker has nothing to draw. The drawing processes and PostgreSQL's backends
 * are shown separately from the sums.
 */
export async function measureMemory(bench: Bench, platform: Platform, other: Peer): Promise<Result> {
  const ours: Megabytes = { service: held(platform.service.pid), studio: held(platform.studio.pid) };
  const theirs: Megabytes = {
    app: held(other.app.pid),
    'render worker': held(other.renderWorker.pid),
    Redis: held(other.redisPid),
  };
  const theirBackends = await backends(other.database);
  const { worker } = platform;
  if (worker === undefined) throw new Error('the platform has no worker');
  await worker.start();
  await sleep((bench.quick ? drawsForSeconds.quick : drawsForSeconds.full) * 1_000);
  ours['worker'] = held(worker.pid);
  const drawing = childrenOf(worker.pid).map(held);
  const ourBackends = await backends(platform.serviceDatabase, platform.studioDatabase);
  return plainRow('peer, memory', {
    ratio: sum(Object.values(ours)) / sum(Object.values(theirs)),
    ours: `${told(ours)}; beside them ${drawing.length} that draw ${sum(drawing).toFixed(0)} MB, ${ourBackends}`,
    baseline: `${told(theirs)}; beside them ${theirBackends}`,
  });
}

function held(pid: number): number {
  return residentMegabytes(pid) ?? Number.NaN;
}

/** Returns how many backends there are and their private memory; shared buffers are not counted. */
async function backends(...databases: Database[]): Promise<string> {
  const pids: number[] = [];
  for (const database of databases) {
    const rows = await database.rows<{ pid: number }>(
      `select pid from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and application_name <> all ($1)`,
      [ownApplications],
    );
    pids.push(...rows.map(({ pid }) => pid));
  }
  const megabytes = sum(pids.map((pid) => anonymousMegabytes(pid) ?? Number.NaN));
  return `${pids.length} backends of PostgreSQL${Number.isNaN(megabytes) ? '' : ` ${megabytes.toFixed(0)} MB`}`;
}

function told(megabytes: Megabytes): string {
  const figures = Object.values(megabytes).map((mb) => mb.toFixed(0));
  return `${figures.join(' + ')} MB (${Object.keys(megabytes).join(', ')})`;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, one) => all + one, 0);
}
