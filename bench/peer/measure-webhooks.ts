import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Bench, Result } from '../benchmark.ts';
import { type Child, startChild } from '../child.ts';
import { freePort, originOf, startPlatform } from '../platform.ts';
import { rateSample } from '../present.ts';
import { cpuSeconds } from '../process-usage.ts';
import type { Sample } from '../rounds.ts';
import { addEndpoints, eventBody, wake, writeEvents } from '../webhooks/events.ts';
import { pairOf, rateRow } from './rate-row.ts';
import type { AppQuestion } from './app.ts';
import { startPeer } from './start-peer.ts';

const endpoints = 10;
const healthy = endpoints - 1;
const limitMs = 120_000;
/** Each round starts both sides. */
const maxRounds = 3;
const pollMs = 10;

/**
 * Measures deliveries a second that arrive at nine endpoints while a tenth endpoint of the same account never answers.
 * Each round starts both sides anew, and adds the tenth endpoint after the warm-up. So no retry is left over for the
 * next round.
 */
export async function measureWebhooks(bench: Bench): Promise<Result[]> {
  const pairs = [];
  for (let round = 1; round <= Math.min(bench.rounds, maxRounds); round++) {
    const pair = await pairOf(round, (side) => oneRound(bench, side === 'ours' ? startOurs : startTheirs));
    pairs.push(pair);
    bench.say(`  webhooks, round ${round}: ${rateSample(pair.ours)} against ${rateSample(pair.baseline)}`);
  }
  return [rateRow('peer, webhooks', pairs)];
}

async function oneRound(bench: Bench, start: (bench: Bench, owners: AsyncDisposableStack) => Promise<Side>) {
  await using owners = new AsyncDisposableStack();
  const { add, deliver, urls } = await start(bench, owners);
  const events = bench.quick ? 200 : 500;
  await add(urls.slice(0, healthy));
  await deliver(events);
  await add(urls.slice(healthy));
  // Awaited here, because the end of this function disposes what delivers.
  return await deliver(events);
}

async function startSink() {
  const port = await freePort();
  const sink = await startChild(fileURLToPath(new URL('../webhooks/sink.ts', import.meta.url)), { port });
  const origin = originOf(port);
  const urls = Array.from({ length: endpoints }, (_, n) => `${origin}/${n < healthy ? 'ok' : 'hang'}/${n}`);
  return { sink, urls, [Symbol.asyncDispose]: () => sink[Symbol.asyncDispose]() };
}

type Used = Record<string, () => number | undefined>;

/** Measures from `go` until the healthy endpoints have all deliveries. `server` is the process that delivers. */
async function timed(
  sink: Child,
  count: number,
  used: Used & { server: () => number | undefined },
  go: () => Promise<unknown>,
): Promise<Sample> {
  const look = () => Object.entries(used).map(([name, read]) => [name, read() ?? Number.NaN] as const);
  const arrivedBefore = await sink.ask<number>('count');
  const before = new Map(look());
  const began = performance.now();
  await go();
  for (let arrived = 0; arrived < count; arrived = (await sink.ask<number>('count')) - arrivedBefore) {
    if (performance.now() - began > limitMs)
      throw new Error(`${arrived} of ${count} deliveries arrived within two minutes`);
    await sleep(pollMs);
  }
  const seconds = (performance.now() - began) / 1_000;
  const { server, ...beside } = Object.fromEntries(
    look().map(([name, after]) => [name, ((after - (before.get(name) ?? Number.NaN)) / count) * 1_000]),
  );
  return { value: count / seconds, cpuSeconds: server, besideCpuSeconds: beside };
}

type Side = {
  urls: string[];
  add: (urls: readonly string[]) => Promise<unknown>;
  /** Delivers so many events to each endpoint, and returns the rate. */
  deliver: (events: number) => Promise<Sample>;
};

async function startOurs(bench: Bench, owners: AsyncDisposableStack): Promise<Side> {
  const receiver = owners.use(await startSink());
  const platform = owners.use(await startPlatform(bench, { worker: false, loopbackReceivers: true }));
  const { id } = await platform.createAccount({ keys: 0 });
  const database = platform.serviceDatabase;
  const used = { server: () => cpuSeconds(platform.service.pid), PostgreSQL: bench.cluster.cpuSeconds };
  return {
    urls: receiver.urls,
    add: (urls) => addEndpoints(platform, id, urls),
    deliver: (events) =>
      timed(receiver.sink, events * healthy, used, async () => {
        await writeEvents(database, [id], events);
        await wake(database, id);
      }),
  };
}

async function startTheirs(bench: Bench, owners: AsyncDisposableStack): Promise<Side> {
  const receiver = owners.use(await startSink());
  const other = owners.use(await startPeer(bench));
  const { id } = await other.createAccount();
  const addTheirs = (urls: readonly string[]) =>
    other.database.rows(
      `insert into endpoints (id, account_id, url, secret)
       select 'whk_' || md5(url), $1, url, 'a secret of this endpoint' from unnest($2::text[]) as url`,
      [id, urls],
    );
  const used = {
    server: () => cpuSeconds(other.app.pid),
    PostgreSQL: bench.cluster.cpuSeconds,
    Redis: () => cpuSeconds(other.redisPid),
  };
  const body = eventBody('evt_01kaf3v5w8m2x9q4t7r6y1z0bc', new Date());
  const ask = (question: AppQuestion) => other.app.ask(question);
  return {
    urls: receiver.urls,
    add: addTheirs,
    deliver: async (events) => {
      await ask({ write: events, body });
      return timed(receiver.sink, events * healthy, used, () => ask('deliver'));
    },
  };
}
