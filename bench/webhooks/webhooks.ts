import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Bench, Result } from '../benchmark.ts';
import { type Child, startChild } from '../child.ts';
import { freePort, originOf, type Platform, startPlatform } from '../platform.ts';
import { boundResult, milliseconds, rateResult, rateSample } from '../present.ts';
import { cpuSeconds, residentMegabytes } from '../process-usage.ts';
import { compare, type Sample } from '../rounds.ts';
import { quantile } from '../statistics.ts';
import type { BarePosts } from './bare-posts.ts';
import { addEndpoints, eventBody, wake, writeEvents } from './events.ts';
import type { SinkLatencies } from './sink.ts';

const accounts = 5;
const endpointsPerAccount = 10;
/** Parallel attempts at one healthy endpoint: the service's own limit. */
const attemptsPerEndpoint = 4;
const goals = { ratio: 0.2, latencyP99Ms: 1_000, healthyP99Ms: 2_000, growthMegabytes: 10 };

/** Measures deliveries: how many a second, how soon, how fairly, and in how much memory. */
export async function webhooks(bench: Bench): Promise<Result[]> {
  const rates = await measureRates(bench);
  return [
    ...rates,
    await measureLatency(bench),
    await measureFairness(bench, { name: 'nine of ten hang', accounts: 1, perAccount: 9, dueEach: 0 }),
    await measureFairness(bench, { name: '300 hang', accounts: 30, perAccount: 10, dueEach: 1_000 }),
  ];
}

type Receiver = { sink: Child; origin: string };

async function startReceiver(owners: AsyncDisposableStack): Promise<Receiver> {
  const port = await freePort();
  const sink = owners.use(await startChild(scriptOf('sink.ts'), { port }));
  return { sink, origin: originOf(port) };
}

/**
 * Measures first attempts a second with everything due at once, compared with posts alone; then the memory after many
 * deliveries.
 */
async function measureRates(bench: Bench): Promise<Result[]> {
  await using owners = new AsyncDisposableStack();
  const receiver = await startReceiver(owners);
  const platform = owners.use(await startPlatform(bench, { worker: false, loopbackReceivers: true }));
  const ids: string[] = [];
  for (let n = 0; n < accounts; n++) {
    const { id } = await platform.createAccount({ keys: 0 });
    await addEndpoints(platform, id, Array<string>(endpointsPerAccount).fill(`${receiver.origin}/ok/${n}`));
    ids.push(id);
  }
  const bare = owners.use(await startChild(scriptOf('bare-posts.ts')));
  const bareRate = (seconds: number) =>
    bare.ask<number>({
      origin: receiver.origin,
      path: '/ok/bare',
      body: eventBody('evt_01kaf3v5w8m2x9q4t7r6y1z0bc', new Date()),
      concurrency: accounts * endpointsPerAccount * attemptsPerEndpoint,
      seconds,
    } satisfies BarePosts);

  // The first attempt at each endpoint is its only one in progress. Both sides are warm before they are measured.
  await deliver(bench, platform, receiver, { ids, count: bench.quick ? 1_000 : 10_000 });
  await bareRate(bench.quick ? 1 : 3);
  const size = bench.quick ? 2_000 : 10_000;
  const comparison = await compare({
    rounds: bench.rounds,
    ours: () => deliver(bench, platform, receiver, { ids, count: size }),
    baseline: async () => {
      const before = cpuSeconds(bare.pid) ?? Number.NaN;
      const value = await bareRate(bench.seconds);
      const used = (cpuSeconds(bare.pid) ?? Number.NaN) - before;
      return { value, cpuSeconds: (used / (value * bench.seconds)) * 1000 };
    },
    onRound: (round, ours, baseline) =>
      bench.say(`  round ${round}: ${rateSample(ours)} against ${rateSample(baseline)}`),
  });
  // By then the heap has had its first long garbage collection and has its working size.
  const early = residentMegabytes(platform.service.pid) ?? Number.NaN;
  const before = size * (bench.rounds + 1);
  const more = bench.quick ? 5_000 : 100_000;
  for (let sent = 0; sent < more; sent += size)
    await deliver(bench, platform, receiver, { ids, count: size });
  const late = residentMegabytes(platform.service.pid) ?? Number.NaN;
  return [
    rateResult('webhooks', comparison, goals.ratio),
    boundResult({
      name: 'webhooks, memory',
      ours: `${early.toFixed(0)} MB after ${inThousands(before)} deliveries, ${late.toFixed(0)} MB after ${inThousands(more)} more`,
      goal: `${goals.growthMegabytes} MB more at most`,
      met: late - early <= goals.growthMegabytes,
    }),
  ];
}

function inThousands(count: number): string {
  return count.toLocaleString('en-GB');
}

/** Writes events with `count` deliveries in all, and waits until the receiver has each. */
async function deliver(
  { cluster }: Bench,
  platform: Platform,
  { sink }: Receiver,
  { ids: accountIds, count }: { ids: readonly string[]; count: number },
): Promise<Sample> {
  const before = await sink.ask<number>('count');
  const events = Math.ceil(count / (accountIds.length * endpointsPerAccount));
  // One statement, so that all are due at its commit.
  await writeEvents(platform.serviceDatabase, accountIds, events);
  const wanted = before + events * accountIds.length * endpointsPerAccount;
  const look = () =>
    [cpuSeconds(platform.service.pid), cluster.cpuSeconds()].map((used) => used ?? Number.NaN);
  const usedBefore = look();
  const began = performance.now();
  await wake(platform.serviceDatabase, accountIds[0] as string);
  const deadline = began + 120_000;
  while ((await sink.ask<number>('count')) < wanted) {
    if (performance.now() > deadline) throw new Error('the deliveries did not end within two minutes');
    await sleep(5);
  }
  const seconds = (performance.now() - began) / 1000;
  const perThousand = look().map(
    (used, i) => ((used - (usedBefore[i] as number)) / (wanted - before)) * 1000,
  );
  const [service = Number.NaN, PostgreSQL = Number.NaN] = perThousand;
  return { value: (wanted - before) / seconds, cpuSeconds: service, besideCpuSeconds: { PostgreSQL } };
}

/** Measures the time from an event to its first attempt, at 100 events a second. */
async function measureLatency(bench: Bench): Promise<Result> {
  await using owners = new AsyncDisposableStack();
  const receiver = await startReceiver(owners);
  const platform = owners.use(await startPlatform(bench, { worker: false, loopbackReceivers: true }));
  const { id } = await platform.createAccount({ keys: 0 });
  await addEndpoints(platform, id, [`${receiver.origin}/ok/1`]);
  const times = await steadyEvents(platform, receiver, id, { perSecond: 100, seconds: bench.quick ? 3 : 20 });
  const p99 = quantile(times, 0.99);
  return boundResult({
    name: 'webhooks, first attempt',
    ours: `p50 ${milliseconds(quantile(times, 0.5))}, p99 ${milliseconds(p99)} (${times.length} events)`,
    goal: `p99 ${goals.latencyP99Ms} ms or less`,
    met: p99 <= goals.latencyP99Ms,
  });
}

/** Endpoints that hang until each attempt times out. At the beginning each has `dueEach` deliveries due. */
type Hanging = { name: string; accounts: number; perAccount: number; dueEach: number };

/** Like `measureLatency`, for one endpoint while many endpoints hang, of its own account or of others. */
async function measureFairness(bench: Bench, hanging: Hanging): Promise<Result> {
  await using owners = new AsyncDisposableStack();
  const receiver = await startReceiver(owners);
  const platform = owners.use(await startPlatform(bench, { worker: false, loopbackReceivers: true }));
  const ids: string[] = [];
  for (let n = 0; n < hanging.accounts; n++) {
    const { id } = await platform.createAccount({ keys: 0 });
    const urls = Array.from({ length: hanging.perAccount }, (_, i) => `${receiver.origin}/hang/${n}-${i}`);
    await addEndpoints(platform, id, urls);
    ids.push(id);
  }
  const dueEach = bench.quick ? Math.min(hanging.dueEach, 20) : hanging.dueEach;
  if (dueEach > 0) await writeEvents(platform.serviceDatabase, ids, dueEach);
  // The healthy endpoint is in the account of the hanging ones if there is room, else in a new account.
  const id =
    hanging.perAccount < endpointsPerAccount
      ? (ids[0] as string)
      : (await platform.createAccount({ keys: 0 })).id;
  await addEndpoints(platform, id, [`${receiver.origin}/ok/1`]);
  const times = await steadyEvents(platform, receiver, id, { perSecond: 50, seconds: bench.quick ? 5 : 40 });
  const p99 = quantile(times, 0.99);
  return boundResult({
    name: `webhooks, ${hanging.name}`,
    ours: `p50 ${milliseconds(quantile(times, 0.5))}, p99 ${milliseconds(p99)} at a healthy one (${times.length} events)`,
    goal: `p99 ${goals.healthyP99Ms} ms or less`,
    met: p99 <= goals.healthyP99Ms,
  });
}

async function steadyEvents(
  platform: Platform,
  { sink }: Receiver,
  accountId: string,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<number[]> {
  const database = platform.serviceDatabase;
  for (let n = 0; n < perSecond; n++) await writeEvents(database, [accountId], 1);
  await wake(database, accountId);
  await sleep(2_000);
  await sink.ask<SinkLatencies>('latencies');
  const began = performance.now();
  for (let n = 0; n < perSecond * seconds; n++) {
    await writeEvents(database, [accountId], 1);
    await wake(database, accountId);
    await sleep(Math.max(0, began + ((n + 1) * 1000) / perSecond - performance.now()));
  }
  await sleep(3_000);
  const { milliseconds: times } = await sink.ask<SinkLatencies>('latencies');
  if (times.length < perSecond * seconds)
    throw new Error(`of ${perSecond * seconds} events ${times.length} arrived`);
  return times;
}

function scriptOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
