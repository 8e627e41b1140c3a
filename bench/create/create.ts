import { fileURLToPath } from 'node:url';
import type { Bench, Result } from '../benchmark.ts';
import { startChild } from '../child.ts';
import { createForEach } from '../create-generation.ts';
import { childFile, measureRate } from '../load/measure-rate.ts';
import { startPlatform } from '../platform.ts';
import { rateResult, rateSample } from '../present.ts';
import { cpuSeconds } from '../process-usage.ts';
import { type Sample, summarise } from '../rounds.ts';
import type { InsertLoad } from './insert-load.ts';

const connections = 64;
/** The service's own default; the baseline uses it too. */
const poolSize = 10;
const goals = { one: 0.35, fifty: 0.3 };

/**
 * Measures creates per second that were answered 202 and are in the database, with everything on: the studio quotes,
 * submits and renders meanwhile. The baseline is single rows that the same driver inserts and commits, with nothing
 * else running.
 */
export async function create(bench: Bench): Promise<Result[]> {
  const one: { ours: Sample; baseline: Sample }[] = [];
  const fifty: { ours: Sample; baseline: Sample }[] = [];
  for (let round = 1; round <= bench.rounds; round++) {
    for (const [accounts, pairs] of [[1, one] as const, [50, fifty] as const]) {
      const ours = await createsPerSecond(bench, accounts, round);
      const baseline = await insertsPerSecond(bench);
      pairs.push({ ours, baseline });
      bench.say(
        `  round ${round}, ${accounts} account${accounts === 1 ? '' : 's'}: ${rateSample(ours)} against ${rateSample(baseline)}`,
      );
    }
  }
  return [
    rateResult('create, 1 account', summarise(one), goals.one),
    rateResult('create, 50 accounts', summarise(fifty), goals.fifty),
  ];
}

async function createsPerSecond(bench: Bench, accounts: number, round: number): Promise<Sample> {
  await using platform = await startPlatform(bench, { worker: true });
  const keys: string[] = [];
  for (let n = 0; n < accounts; n++) keys.push(...(await platform.createAccount({ keys: 1 })).keys);
  await using load = await startChild(childFile('http-load.ts'));
  const measure = (seconds: number, name: string) =>
    measureRate(
      load,
      {
        url: platform.serviceUrl,
        connections,
        seconds,
        creates: { path: '/v1/images/generations', keys, name },
      },
      {
        pid: platform.service.pid,
        status: 202,
        beside: { studio: () => cpuSeconds(platform.studio.pid), PostgreSQL: bench.cluster.cpuSeconds },
      },
    );
  // The first create of each account also fetches its token, its catalog and its limits.
  await createForEach(platform.serviceUrl, keys, 1);
  await measure(bench.quick ? 1 : 6, `warm ${round}`);
  const sample = await measure(bench.seconds, `round ${round}`);
  const [row] = await platform.serviceDatabase.rows<{ created: number }>(
    'select count(*) as created from generations',
  );
  if (row === undefined || row.created < (sample.statuses['202'] ?? 0))
    throw new Error(
      `${sample.statuses['202']} creates were accepted and ${row?.created} are in the database`,
    );
  return sample;
}

async function insertsPerSecond(bench: Bench): Promise<Sample> {
  await using empty = await bench.cluster.createDatabase('empty');
  await using load = await startChild(fileURLToPath(new URL('insert-load.ts', import.meta.url)));
  const insert = (seconds: number) =>
    load.ask<number>({ url: empty.url, poolSize, connections, seconds } satisfies InsertLoad);
  await insert(1);
  const before = cpuSeconds(load.pid);
  const value = await insert(bench.seconds);
  const used = (cpuSeconds(load.pid) ?? Number.NaN) - (before ?? Number.NaN);
  return { value, cpuSeconds: (used / (value * bench.seconds)) * 1000 };
}
