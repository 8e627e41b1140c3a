import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Bench, Result } from '../benchmark.ts';
import type { FreshDatabase } from '../cluster.ts';
import { type Part, startPart } from '../part.ts';
import { createKeys, freePort, originOf, serviceEnvironment } from '../platform.ts';
import { timeResult } from '../present.ts';
import { type Sample, summarise } from '../rounds.ts';
import { median } from '../statistics.ts';
import { fillGenerations, insertAccount, kinds, setConnection, statuses } from './rows.ts';
import { type Times, queueTimes } from './queue-times.ts';

const sizes = { small: 10_000, large: 2_000_000, largeOfQuick: 200_000 };
const accountId = 'acc_00000000000000000000000size';
/** Image jobs that a claim may take at once. */
const places = 8;
const readsPerRound = 60;
const goal = 1.3;

const lists: Record<string, string> = {
  'page 1': '',
  'page 400': '?page=400',
  ...Object.fromEntries(statuses.map((status) => [`status ${status}`, `?status=${status}`])),
  ...Object.fromEntries(kinds.map((kind) => [`kind ${kind}`, `?kind=${kind}`])),
  'status and kind': '?status=failed&kind=video',
  'status and kind, none': '?status=canceled&kind=video_extend&page=50000',
};

type Table = { data: FreshDatabase; key: string };
type Pairs = Record<string, { ours: Sample; baseline: Sample }[]>;

/** How much longer the same takes when an account's table is two hundred times as large. */
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

function record(pairs: Pairs, larger: Times, smaller: Times): void {
  for (const [name, ours] of Object.entries(larger))
    (pairs[name] ??= []).push({
      ours: { value: median(ours) },
      baseline: { value: median(smaller[name] as number[]) },
    });
}

async function measureLists(
  bench: Bench,
  tables: { large: Table; small: Table },
  pairs: Pairs,
): Promise<void> {
  await using large = await startService(bench, tables.large);
  await using small = await startService(bench, tables.small);
  await listTimes(large);
  await listTimes(small);
  for (let round = 1; round <= bench.rounds; round++) {
    record(pairs, await listTimes(large), await listTimes(small));
    bench.say(`  lists, round ${round} done`);
  }
}

async function measureQueue(
  bench: Bench,
  tables: { large: Table; small: Table },
  pairs: Pairs,
): Promise<void> {
  const [large, small] = [tables.large.data.database, tables.small.data.database];
  // Until now a service would have sent what waits to a studio.
  for (const database of [large, small]) {
    await setConnection(database, 'live');
    await queueTimes(database, accountId);
  }
  for (let round = 1; round <= bench.rounds; round++) {
    record(pairs, await queueTimes(large, accountId), await queueTimes(small, accountId));
    bench.say(`  claims and settles, round ${round} done`);
  }
}

type Service = AsyncDisposable & { url: string; key: string };

async function startService(bench: Bench, { data, key }: Table): Promise<Service> {
  const [port, studioPort] = [await freePort(), await freePort()];
  const part: Part = await startPart({
    name: 'service',
    entry: 'service/src/main.ts',
    logDirectory: path.join(bench.cluster.directory, 'logs'),
    environment: {
      ...serviceEnvironment({ databaseUrl: data.url, port, studioPort, secretKey: randomBytes(32) }),
      // Nothing here asks the studio, and none is there.
      LOG_LEVEL: 'fatal',
      STUDIO_CLIENT_ID: 'bench',
      STUDIO_CLIENT_SECRET: 'a secret of the benchmark',
    },
  });
  return { url: originOf(port), key, [Symbol.asyncDispose]: () => part[Symbol.asyncDispose]() };
}

async function listTimes({ url, key }: Service): Promise<Times> {
  const times: Times = {};
  for (const [name, query] of Object.entries(lists)) {
    const own: number[] = (times[name] = []);
    for (let n = 0; n < readsPerRound; n++) {
      const begin = performance.now();
      const answer = await fetch(`${url}/v1/generations${query}`, {
        headers: { authorization: `Bearer ${key}` },
      });
      const body = await answer.text();
      own.push(performance.now() - begin);
      if (answer.status !== 200) throw new Error(`${name} was answered ${answer.status}: ${body}`);
    }
  }
  return times;
}
