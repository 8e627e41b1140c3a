import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Part } from '@renderkit/server-kit/testing/part.ts';
import type { Bench, Result } from '../benchmark.ts';
import { startChild } from '../child.ts';
import { createForEach } from '../create-generation.ts';
import type { HttpLoadAnswer } from '../load/http-load.ts';
import { childFile } from '../load/measure-rate.ts';
import { type Platform, startPlatform } from '../platform.ts';
import { boundResult } from '../present.ts';
import { cpuSeconds } from '../process-usage.ts';
import { median } from '../statistics.ts';

/** Connections with one of each; two of each have as many in all, or as many each. */
const connections = 64;
const accounts = 50;
/**
 * Counted, not timed: on a busy machine, timing would also measure code that is not compiled yet. `warm` is for each
 * service.
 */
const creates = { warm: 4_000, measured: 8_000 };
const goal = 1.1;

/** CPU seconds per 1,000 creates, of all processes of a kind together. */
type Cost = { services: number; studios: number; PostgreSQL: number; perSecond: number; deadlocks: number };
const parts = ['services', 'studios', 'PostgreSQL'] as const;

const shapes = {
  one: { each: 1, connections },
  'the same clients': { each: 2, connections },
  'twice the clients': { each: 2, connections: 2 * connections },
} as const;
type Shape = keyof typeof shapes;
const pairs = ['the same clients', 'twice the clients'] as const;

/**
 * Compares what a create costs two services and two studios on one PostgreSQL with one of each. Each measurement has
 * its own platform, in turn. Nothing is rendered: rendering costs the same in both cases.
 */
export async function scaleOut(bench: Bench): Promise<Result[]> {
  const rounds: Record<Shape, Cost>[] = [];
  for (let round = 1; round <= bench.rounds; round++) {
    const found: Partial<Record<Shape, Cost>> = {};
    // Other work of the machine changes: the order is reversed in every second round.
    const order = Object.keys(shapes) as Shape[];
    for (const shape of round % 2 === 1 ? order : order.toReversed()) {
      found[shape] = await measure(bench, shapes[shape], round);
      bench.say(`  round ${round}, ${shape}: ${costText(found[shape])}`);
    }
    rounds.push(found as Record<Shape, Cost>);
  }
  const deadlocks = rounds
    .flatMap((round) => Object.values(round))
    .reduce((sum, cost) => sum + cost.deadlocks, 0);
  return [
    ...pairs.map((shape) => comparison(shape, rounds)),
    boundResult({
      name: 'scale-out, deadlocks',
      ours: `${deadlocks} in all rounds`,
      goal: 'none',
      met: deadlocks === 0,
    }),
  ];
}

function comparison(shape: (typeof pairs)[number], rounds: readonly Record<Shape, Cost>[]): Result {
  const ratios = rounds.map((round) => total(round[shape]) / total(round.one));
  return {
    name: `scale-out, ${shape}`,
    ratio: '–',
    cpuRatio: median(ratios).toFixed(2),
    ours: costText(medianCost(rounds.map((round) => round[shape]))),
    baseline: costText(medianCost(rounds.map(({ one }) => one))),
    spread: `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
    goal: `${goal.toFixed(2)} or less`,
    met: median(ratios) <= goal,
  };
}

async function measure(
  bench: Bench,
  shape: { each: number; connections: number },
  round: number,
): Promise<Cost> {
  const { each } = shape;
  await using platform = await startPlatform(bench, { worker: false, each });
  const keys: string[] = [];
  for (let n = 0; n < accounts; n++) keys.push(...(await platform.createAccount({ keys: 1 })).keys);
  await using loads = new AsyncDisposableStack();
  const clients = await Promise.all(
    platform.serviceUrls.map(async (url) => ({
      url,
      child: loads.use(await startChild(childFile('http-load.ts'))),
    })),
  );
  const load = async (requests: number, name: string) => {
    const answers = await Promise.all(
      clients.map(({ url, child }, i) =>
        child.ask<HttpLoadAnswer>({
          url,
          connections: shape.connections / each,
          requests: requests / each,
          creates: { path: '/v1/images/generations', keys, name: `${name}-${i}` },
        }),
      ),
    );
    return answers.reduce((sum, { statuses }) => sum + createdIn(statuses), 0);
  };
  // The first create of each account at each service also fetches its token, its catalog and its limits.
  for (const url of platform.serviceUrls) await createForEach(url, keys, 1);
  const part = bench.quick ? 10 : 1;
  await load((creates.warm * each) / part, `warm ${round}`);
  const before = look(bench, platform);
  const began = performance.now();
  const created = await load(creates.measured / part, `round ${round}`);
  const seconds = (performance.now() - began) / 1_000;
  const after = look(bench, platform);
  const per1000 = (name: (typeof parts)[number]) => ((after[name] - before[name]) / created) * 1_000;
  return {
    services: per1000('services'),
    studios: per1000('studios'),
    PostgreSQL: per1000('PostgreSQL'),
    perSecond: created / seconds,
    deadlocks: await countDeadlocks(platform),
  };
}

/** @throws if any answer was not 202 */
function createdIn(statuses: HttpLoadAnswer['statuses']): number {
  if (Object.keys(statuses).some((status) => status !== '202'))
    throw new Error(`answers other than 202: ${JSON.stringify(statuses)}`);
  return statuses['202'] ?? 0;
}

function look(bench: Bench, platform: Platform) {
  const sum = (processes: readonly Part[]) =>
    processes.reduce((seconds, { pid }) => seconds + (cpuSeconds(pid) ?? Number.NaN), 0);
  return {
    services: sum(platform.services),
    studios: sum(platform.studios),
    PostgreSQL: bench.cluster.cpuSeconds() ?? Number.NaN,
  };
}

/** Counts the deadlocks that PostgreSQL reports in both databases, and log lines of the parts that mention one. */
async function countDeadlocks(platform: Platform): Promise<number> {
  let found = 0;
  for (const database of [platform.serviceDatabase, platform.studioDatabase]) {
    const [row] = await database.rows<{ deadlocks: number }>(
      'select deadlocks::integer as deadlocks from pg_stat_database where datname = current_database()',
    );
    found += row?.deadlocks ?? 0;
  }
  for (const name of await readdir(platform.logDirectory)) {
    const text = await readFile(path.join(platform.logDirectory, name), 'utf8');
    found += text.split('\n').filter((line) => /deadlock|40P01/.test(line)).length;
  }
  return found;
}

function total(cost: Cost): number {
  return parts.reduce((sum, part) => sum + cost[part], 0);
}

function medianCost(costs: readonly Cost[]): Cost {
  const of = (key: keyof Cost) => median(costs.map((cost) => cost[key]));
  return {
    services: of('services'),
    studios: of('studios'),
    PostgreSQL: of('PostgreSQL'),
    perSecond: of('perSecond'),
    deadlocks: of('deadlocks'),
  };
}

function costText(cost: Cost): string {
  const each = parts.map((part) => `${part} ${cost[part].toFixed(3)}`).join(', ');
  return `${total(cost).toFixed(3)} CPU s per 1,000 (${each}; ${Math.round(cost.perSecond).toLocaleString('en-GB')}/s)`;
}
