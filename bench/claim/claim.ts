import type { Database } from '@renderkit/server-kit/db/database.ts';
import { claimRender } from '@renderkit/studio/backends/claim-queries.ts';
import type { Bench, Result } from '../benchmark.ts';
import { timeResult } from '../present.ts';
import { type Sample, summarise } from '../rounds.ts';
import { median } from '../statistics.ts';
import { backends, dryBackend, fillQueue, waitingRenders } from './rows.ts';

const goal = 4;
const claimsPerRound = 200;
const worker = 'wrk_bench';

/**
 * Measures what it costs to choose among 20,000 waiting renders of 30 models for one of 8 backends, by fairness,
 * weights, routes and price. The baseline takes whatever comes first. The last figure is a paid backend for which
 * nothing is open yet.
 */
export async function claim(bench: Bench): Promise<Result[]> {
  await using ours = await bench.cluster.createDatabase('studio');
  await using plain = await bench.cluster.createDatabase('studio');
  for (const { database } of [ours, plain]) await fillQueue(database);
  await plain.database.rows(
    `create index renders_by_tag on renders (tag) where status = 'queued' and tag is not null`,
  );
  bench.say(`  ${waitingRenders} renders wait`);
  const pairs: Record<'claim' | 'nothing open', { ours: Sample; baseline: Sample }[]> = {
    claim: [],
    'nothing open': [],
  };
  for (let round = 0; round <= bench.rounds; round++) {
    const times: { ours: number[]; plain: number[]; dry: number[] } = { ours: [], plain: [], dry: [] };
    for (let n = 0; n < claimsPerRound; n++) {
      const backend = backends[n % backends.length] as string;
      times.ours.push(await timed(() => claimOurs(ours.database, backend)));
      times.plain.push(await timed(() => claimPlain(plain.database)));
      if (n % 10 === 0) times.dry.push(await timed(() => claimNothing(ours.database)));
    }
    for (const { database } of [ours, plain]) await putBack(database);
    // The first round warms connections and plans.
    if (round === 0) continue;
    const baseline = { value: median(times.plain) };
    pairs.claim.push({ ours: { value: median(times.ours) }, baseline });
    pairs['nothing open'].push({ ours: { value: median(times.dry) }, baseline });
    bench.say(`  round ${round} done`);
  }
  return [
    timeResult('claim, 20,000 waiting', summarise(pairs.claim), goal),
    {
      ...timeResult('claim, nothing open', summarise(pairs['nothing open']), 100),
      goal: 'none: a figure to know',
      met: true,
    },
  ];
}

async function claimOurs(database: Database, backend: string): Promise<void> {
  const claimed = await claimRender(database, { backend, worker, leaseMs: 60_000, lanes: null });
  if (claimed === undefined) throw new Error(`${backend} found nothing`);
}

async function claimNothing(database: Database): Promise<void> {
  const claimed = await claimRender(database, { backend: dryBackend, worker, leaseMs: 60_000, lanes: null });
  if (claimed !== undefined) throw new Error('a fallback opened before its time');
}

async function claimPlain(database: Database): Promise<void> {
  const rows = await database.rows(
    `update renders set status = 'running', attempt = attempt + 1 where id = (
       select id from renders where status = 'queued' and tag is not null order by tag for update skip locked limit 1)
     returning id`,
    [],
    'plain_claim',
  );
  if (rows.length !== 1) throw new Error('nothing waits');
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

async function putBack(database: Database): Promise<void> {
  await database.rows('delete from submissions');
  await database.rows(`update renders set status = 'queued', attempt = 0 where status = 'running'`);
  await database.rows('vacuum analyze renders, submissions');
}
