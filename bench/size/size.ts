import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { type Part, startPart } from '@renderkit/server-kit/testing/part.ts';
import { serviceNodeOptions } from '@renderkit/service/config.ts';
import type { Bench, Result } from '../benchmark.ts';
import type { FreshDatabase } from '../cluster.ts';
import { createKeys, freePort, originOf, serviceEnvironment, program } from '../platform.ts';
import { timeResult } from '../present.ts';
import { type Sample, summarise } from '../rounds.ts';
import { median } from '../statistics.ts';
import { type QueueTimes, queueTurn } from './queue-turn.ts';
import { fillGenerations, insertAccount, kinds, setConnection, statuses } from './rows.ts';

const sizes = { small: 10_000, large: 2_000_000, largeOfQuick: 200_000 };
const accountId = 'acc_00000000000000000000000size';
/** Image jobs that a claim may take at once. */
const places = 8;
const readsPerRound = 60;
const turnsPerRound = 25;
/** For lists, claims and settles. */
const goal = 1.15;

const lists: Record<string, string> = {
  'page 1': '',
  'page 400': '?page=400',
  ...Object.fromEntries(statuses.map((status) => [`status ${status}`, `?status=${status}`])),
  ...Object.fromEntries(kinds.map((kind) => [`kind ${kind}`, `?kind=${kind}`])),
  'status and kind': '?status=failed&kind=video',
};

type Table = { data: FreshDatabase; key: string };
type Pairs = Record<string, { ours: Sample; baseline: Sample }[]>;

/** Compares how long the same takes when an account's table is two hundred times as large. */
export async function size(bench: Bench): Promise<Result[]> {
  await using owners = new AsyncDisposableStack();
  const large = owners.use(await bench.cluster.createDatabase('service'));
  const small = owners.use(await bench.cluster.createDatabase('service'));
  const tables = {
    large: await fill(bench, large, bench.quick ? sizes.largeOfQuick : sizes.large),
    small: await fill(bench, small, sizes.small),
  };
  const pairs: Pairs = {};
  await measureLists(bench, tables, pairs);
  await measureQueue(bench, tables, pairs);
  return Object.entries(pairs).map(([name, rounds]) => timeResult(`size, ${name}`, summarise(rounds), goal));
}

async function fill(bench: Bench, data: FreshDatabase, count: number): Promise<Table> {
  const begin = performance.now();
  await insertAccount(data.database, accountId, places);
  const [key] = await createKeys(data.database, accountId, 1);
  await fillGenerations(data.database, { accountId, count });
  bench.say(`  ${count} generations written in ${Math.round((performance.now() - begin) / 1000)} s`);
  return { data, key: key as string };
}

async function measureLists(
  bench: Bench,
  tables: { large: Table; small: Table },
  pairs: Pairs,
): Promise<void> {
  await using large = await startService(bench, tables.large);
  await using small = await startService(bench, tables.small);
  for (const query of Object.values(lists)) await interleaved(readsPerRound, [large, small], query);
  for (let round = 1; round <= bench.rounds; round++) {
    for (const [name, query] of Object.entries(lists)) {
      const [ours, baseline] = await interleaved(readsPerRound, [large, small], query);
      (pairs[name] ??= []).push({ ours: { value: median(ours) }, baseline: { value: median(baseline) } });
    }
    bench.say(`  lists, round ${round} done`);
  }
}

/** Reads from both in turn, so that neither has a quieter machine than the other. */
async function interleaved(
  times: number,
  [large, small]: [Service, Service],
  query: string,
): Promise<[number[], number[]]> {
  const [ours, baseline]: [number[], number[]] = [[], []];
  for (let n = 0; n < times; n++) {
    ours.push(await readTime(large, query));
    baseline.push(await readTime(small, query));
  }
  return [ours, baseline];
}

async function measureQueue(
  bench: Bench,
  tables: { large: Table; small: Table },
  pairs: Pairs,
): Promise<void> {
  const [large, small] = [tables.large.data.database, tables.small.data.database];
  // Only from now on is the session live: a service would have sent the waiting jobs to a studio.
  for (const database of [large, small]) {
    await setConnection(database, 'live');
    for (let turn = 0; turn < turnsPerRound; turn++) await queueTurn(database, accountId);
  }
  for (let round = 1; round <= bench.rounds; round++) {
    const [ours, baseline]: [QueueTimes, QueueTimes] = [emptyTimes(), emptyTimes()];
    for (let turn = 0; turn < turnsPerRound; turn++) {
      append(ours, await queueTurn(large, accountId));
      append(baseline, await queueTurn(small, accountId));
    }
    for (const [name, kind] of [['claim with 1,000 queued', 'claim'] as const, ['settle', 'settle'] as const])
      (pairs[name] ??= []).push({
        ours: { value: median(ours[kind]) },
        baseline: { value: median(baseline[kind]) },
      });
    bench.say(`  claims and settles, round ${round} done`);
  }
}

function emptyTimes(): QueueTimes {
  return { claim: [], settle: [] };
}

function append(times: QueueTimes, more: QueueTimes): void {
  times.claim.push(...more.claim);
  times.settle.push(...more.settle);
}

type Service = AsyncDisposable & { url: string; key: string };

async function startService(bench: Bench, { data, key }: Table): Promise<Service> {
  const [port, studioPort] = [await freePort(), await freePort()];
  const part: Part = await startPart({
    name: 'service',
    entry: program('service/src/main.ts'),
    nodeOptions: serviceNodeOptions,
    logDirectory: path.join(bench.cluster.directory, 'logs'),
    environment: {
      ...serviceEnvironment({ databaseUrl: data.url, port, studioPort, secretKey: randomBytes(32) }),
      // Nothing here needs the studio, and none runs.
      LOG_LEVEL: 'fatal',
      STUDIO_CLIENT_ID: 'bench',
      STUDIO_CLIENT_SECRET: 'a secret of the benchmark',
    },
  });
  return { url: originOf(port), key, [Symbol.asyncDispose]: () => part[Symbol.asyncDispose]() };
}

async function readTime({ url, key }: Service, query: string): Promise<number> {
  const begin = performance.now();
  const answer = await fetch(`${url}/v1/generations${query}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const body = await answer.text();
  const took = performance.now() - begin;
  if (answer.status !== 200) throw new Error(`${query} was answered ${answer.status}: ${body}`);
  return took;
}
