import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, Result } from '../benchmark.ts';
import { startChild } from '../child.ts';
import { createForEach, createGeneration } from '../create-generation.ts';
import { type Beside, childFile, measureRate } from '../load/measure-rate.ts';
import { type Platform, startPlatform } from '../platform.ts';
import { milliseconds, rateSample } from '../present.ts';
import { cpuSeconds } from '../process-usage.ts';
import type { Sample } from '../rounds.ts';
import { median, quantile } from '../statistics.ts';
import type { AppQuestion } from './app.ts';
import { measureMemory } from './memory.ts';
import { measureWebhooks } from './measure-webhooks.ts';
import { plainRow } from './plain-row.ts';
import { type Pair, pairOf, rateRow } from './rate-row.ts';
import { type Peer, redisIsThere, startPeer } from './start-peer.ts';

const accounts = 20;
const generationsPerKey = 20;
const readConnections = 256;
const createConnections = 64;
const submitPauseMs = 25;
/** Submits of each account after its first: three can be in progress without a worker that would end them. */
const submitsPerAccount = 2;

type Side = {
  url: string;
  pid: number;
  beside: Beside;
  keys: string[];
  /** Called before and after a measurement of creates, outside its time. */
  beforeCreates?: () => Promise<unknown>;
  afterCreates?: () => Promise<unknown>;
};

/**
 * Compares the product with what a good engineer would write in a week for the same, on this machine and in this run.
 */
export async function peer(bench: Bench): Promise<Result[]> {
  if (!redisIsThere()) {
    bench.say('  skipped: the peer needs redis-server of the system (Debian: apt install redis-server)');
    return [];
  }
  return [...(await measureRequests(bench)), ...(await measureWebhooks(bench))];
}

async function measureRequests(bench: Bench): Promise<Result[]> {
  await using platform = await startPlatform(bench, { worker: true });
  // The worker would take the cores that are measured. Only its memory is measured, at the end.
  await platform.worker?.kill('SIGTERM');
  await using other = await startPeer(bench);
  const sides = { ours: await oursOf(bench, platform), baseline: await theirsOf(bench, other) };
  const submits = [
    await submitOurs(platform, sides.ours.keys),
    await submitTheirs(other, sides.baseline.keys),
  ];
  const reads = await comparePairs(bench, 'read', sides, await readsOf(sides));
  const creates = await comparePairs(bench, 'create', sides, undefined);
  const memory = await measureMemory(bench, platform, other);
  return [
    rateRow('peer, read', reads),
    rateRow('peer, create', creates),
    submitRow(submits as [number[], number[]]),
    memory,
  ];
}

async function oursOf(bench: Bench, platform: Platform): Promise<Side> {
  const keys: string[] = [];
  for (let n = 0; n < accounts; n++) keys.push(...(await platform.createAccount({ keys: 1 })).keys);
  const beside = { studio: () => cpuSeconds(platform.studio.pid), PostgreSQL: bench.cluster.cpuSeconds };
  return { url: platform.serviceUrl, pid: platform.service.pid, beside, keys };
}

async function theirsOf(bench: Bench, other: Peer): Promise<Side> {
  const keys: string[] = [];
  for (let n = 0; n < accounts; n++) keys.push((await other.createAccount()).key);
  const beside = {
    'render worker': () => cpuSeconds(other.renderWorker.pid),
    PostgreSQL: bench.cluster.cpuSeconds,
    Redis: () => cpuSeconds(other.redisPid),
  };
  const ask = (question: AppQuestion) => other.app.ask(question);
  return {
    url: other.url,
    pid: other.app.pid,
    beside,
    keys,
    // Without a worker the slots of our accounts are taken and no more is sent to the studio: so neither side submits.
    beforeCreates: () => ask('hold renders'),
    // So no waiting work of this side runs while ours is measured.
    afterCreates: () => ask('drain renders'),
  };
}

type Reads = Record<'ours' | 'baseline', { path: string; key: string }[]>;

async function readsOf(sides: Record<'ours' | 'baseline', Side>): Promise<Reads> {
  const made = async ({ url, keys }: Side) =>
    (await createForEach(url, keys, generationsPerKey)).map(({ id, key }) => ({
      path: `/v1/generations/${id}`,
      key,
    }));
  return { ours: await made(sides.ours), baseline: await made(sides.baseline) };
}

/** Measures rates of both sides in turn: reads, or creates if `reads` is undefined. */
async function comparePairs(
  bench: Bench,
  name: string,
  sides: Record<'ours' | 'baseline', Side>,
  reads: Reads | undefined,
): Promise<Pair[]> {
  await using load = await startChild(childFile('http-load.ts'));
  const measure = async (which: 'ours' | 'baseline', seconds: number): Promise<Sample> => {
    const { url, pid, beside, keys, beforeCreates, afterCreates } = sides[which];
    if (reads !== undefined)
      return measureRate(
        load,
        { url, connections: readConnections, seconds, reads: reads[which] },
        { pid, status: 200, beside },
      );
    const creates = { path: '/v1/images/generations', keys, name: `peer ${Math.random()}` };
    await beforeCreates?.();
    const sample = await measureRate(
      load,
      { url, connections: createConnections, seconds, creates },
      { pid, status: 202, beside },
    );
    await afterCreates?.();
    return sample;
  };
  const pairs: Pair[] = [];
  for (const which of ['ours', 'baseline'] as const) await measure(which, bench.quick ? 1 : 6);
  for (let round = 1; round <= bench.rounds; round++) {
    const pair = await pairOf(round, (side) => measure(side, bench.seconds));
    pairs.push(pair);
    bench.say(`  ${name}, round ${round}: ${rateSample(pair.ours)} against ${rateSample(pair.baseline)}`);
  }
  return pairs;
}

/** Makes one create after the other, each when nothing else is in progress. */
async function createSlowly(url: string, keys: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n <= submitsPerAccount; n++)
    for (const key of keys) {
      ids.push(await createGeneration(url, key, `a quiet harbour in the morning, picture ${ids.length}`));
      await sleep(submitPauseMs);
    }
  await sleep(1_000);
  // The first create of each account also fetches what is cached for it.
  return ids.slice(keys.length);
}

async function submitOurs(platform: Platform, keys: readonly string[]): Promise<number[]> {
  const ids = await createSlowly(platform.serviceUrl, keys);
  const times = async (database: Platform['serviceDatabase'], text: string) =>
    new Map((await database.rows<{ id: string; ms: number }>(text, [ids])).map(({ id, ms }) => [id, ms]));
  const accepted = await times(
    platform.serviceDatabase,
    'select id, (extract(epoch from created_at) * 1000)::float8 as ms from generations where id = any ($1)',
  );
  const taken = await times(
    platform.studioDatabase,
    'select token as id, (extract(epoch from accepted_at) * 1000)::float8 as ms from renders where token = any ($1)',
  );
  return ids.map((id) => (taken.get(id) ?? Infinity) - (accepted.get(id) ?? Number.NaN));
}

async function submitTheirs(other: Peer, keys: readonly string[]): Promise<number[]> {
  const ids = await createSlowly(other.url, keys);
  const rows = await other.database.rows<{ ms: number | null }>(
    `select (extract(epoch from submitted_at - created_at) * 1000)::float8 as ms from generations where id = any ($1)`,
    [ids],
  );
  return rows.map(({ ms }) => ms ?? Infinity);
}

function submitRow([ours, theirs]: [number[], number[]]): Result {
  const told = (times: number[]) =>
    `p50 ${milliseconds(median(times))}, p99 ${milliseconds(quantile(times, 0.99))} (${times.length} creates)`;
  const ratio = median(ours) / median(theirs);
  return plainRow('peer, submit', { ratio, ours: told(ours), baseline: told(theirs) });
}
