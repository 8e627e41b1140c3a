import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Bench, Result } from '../benchmark.ts';
import { type Child, startChild } from '../child.ts';
import { createForEach } from '../create-generation.ts';
import { type Platform, startPlatform } from '../platform.ts';
import { milliseconds } from '../present.ts';
import { median, quantile } from '../statistics.ts';
import type { AttackName, AttackQuestion, Target } from './attack.ts';
import { noisePng } from './noise-png.ts';
import type { SteadyReads } from './reader.ts';

const goalRatio = 3;
const readsPerSecond = 200;
const generations = 50;
/** Time until an attack has all its requests in progress. */
const settleMs = 2_000;
/** Pause after each attack, until the studio has taken back, or the service has skipped, what was in progress. */
const restMs = 1_500;
/** The interval at which the process checks its event loop, in milliseconds. */
const lookMs = 50;

const attacks: [name: AttackName, title: string][] = [
  ['bodies', '16 MB bodies'],
  ['masks', '4 MB masks'],
  ['uploads', '300 uploads'],
  ['held', '500 held requests'],
  ['streams', '200 streams'],
];

type Round = { quiet: number; p99: number; blockMs: number };

/**
 * Measures how long one account's reads take while a key of another account sends expensive requests: the 99th
 * percentile against its quiet value.
 */
export async function neighbour(bench: Bench): Promise<Result[]> {
  await using owners = new AsyncDisposableStack();
  const platform = owners.use(await startPlatform(bench, { worker: false }));
  const reads = await readsOf(platform);
  const reader = owners.use(await startChild(file('reader.ts')));
  const attacker = owners.use(await startChild(file('attack.ts'), await targetOf(platform)));
  const p99 = async () => quantile(await reader.ask<number[]>({ ...reads, seconds: bench.seconds }), 0.99);
  await p99();
  const worst = await worstShape(platform, attacker);
  bench.say(`  the longest block by one body: ${milliseconds(worst.blockMs)}, of ${worst.name}`);
  const results: Result[] = [];
  for (const [name, title] of attacks) {
    const rounds: Round[] = [];
    for (let round = 1; round <= bench.rounds; round++) {
      const quiet = await p99();
      await attacker.ask({ begin: name } satisfies AttackQuestion);
      await sleep(settleMs);
      await maxBlockMs(platform);
      const busy = await p99();
      const blockMs = await maxBlockMs(platform);
      const statuses = await attacker.ask('end' satisfies AttackQuestion);
      rounds.push({ quiet, p99: busy, blockMs });
      bench.say(
        `  ${title}, round ${round}: p99 ${milliseconds(busy)} against ${milliseconds(quiet)}, longest block ${milliseconds(blockMs)}, answers ${JSON.stringify(statuses)}`,
      );
      await sleep(restMs);
    }
    results.push(rowOf(title, rounds));
  }
  return results;
}

function rowOf(title: string, rounds: readonly Round[]): Result {
  const ratios = rounds.map(({ quiet, p99 }) => p99 / quiet);
  const ratio = median(ratios);
  const block = Math.max(...rounds.map(({ blockMs }) => blockMs));
  return {
    name: `neighbour, ${title}`,
    ratio: ratio.toFixed(2),
    cpuRatio: '–',
    ours: `p99 ${milliseconds(median(rounds.map(({ p99 }) => p99)))}, longest block ${milliseconds(block)}`,
    baseline: `p99 ${milliseconds(median(rounds.map(({ quiet }) => quiet)))}`,
    spread: `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
    goal: `${goalRatio} or less`,
    met: ratio <= goalRatio,
  };
}

async function readsOf(platform: Platform): Promise<Omit<SteadyReads, 'seconds'>> {
  const [key = ''] = (await platform.createAccount({ keys: 1 })).keys;
  const made = await createForEach(platform.serviceUrl, [key], generations);
  const paths = made.map(({ id }) => `/v1/generations/${id}`);
  return { url: platform.serviceUrl, key, paths, perSecond: readsPerSecond };
}

/**
 * Prepares the attacker's account with two keys, because one may hold only a hundred streams; everything else uses the
 * first.
 */
async function targetOf({ serviceUrl: url, createAccount }: Platform): Promise<Target> {
  const { keys } = await createAccount({ keys: 2 });
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(noisePng(512))], { type: 'image/png' }), 'noise.png');
  const answer = await fetch(`${url}/v1/uploads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys[0]}` },
    body: form,
  });
  const { id } = (await answer.json()) as { id?: string };
  if (id === undefined) throw new Error(`an upload was answered ${answer.status}`);
  return { url, keys, image: id };
}

/** Sends each shape of a large body alone and returns the one that blocked the service longest. */
async function worstShape(platform: Platform, attacker: Child): Promise<{ name: string; blockMs: number }> {
  let worst = { name: 'none', blockMs: 0 };
  for (let shape = 0; ; shape++) {
    await maxBlockMs(platform);
    const name = await attacker.ask<string | undefined>({ shape } satisfies AttackQuestion);
    if (name === undefined) return worst;
    // The event loop's next check detects a block.
    await sleep(2 * lookMs);
    const blockMs = await maxBlockMs(platform);
    if (blockMs > worst.blockMs) worst = { name, blockMs };
  }
}

/** Returns the longest time that the service's event loop was blocked since the last call, in milliseconds. */
async function maxBlockMs({ serviceUrl }: Platform): Promise<number> {
  const text = await (await fetch(`${serviceUrl}/metrics`)).text();
  const seconds = /^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1];
  if (seconds === undefined) throw new Error('the service tells nothing of its event loop');
  return Math.max(0, Number(seconds) * 1_000 - lookMs);
}

function file(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
