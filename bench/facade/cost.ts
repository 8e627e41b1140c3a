import type { Bench, Result } from '../benchmark.ts';
import { type Platform, startPlatform } from '../platform.ts';
import { cpuSeconds, treeCpuSeconds } from '../process-usage.ts';
import { median } from '../statistics.ts';
import { byApi, byBase64, byLink, type Way } from './ask.ts';

/** Parallel requests: no more than the studio renders in parallel for an account. */
const clients = 4;
const goal = 1.25;
const doors = { base64: byBase64, links: byLink } as const;

/** Milliseconds of processor time per picture. */
type Cost = { service: number; studio: number; worker: number; postgres: number };

/**
 * Compares a picture through `/openai/v1/images/generations` with create, long poll and download through `/v1`, in turn
 * in each round. The ratio is of the service and the studio together. Worker and PostgreSQL do the same work for both
 * and are shown separately.
 */
export async function cost(bench: Bench): Promise<Result[]> {
  await using platform = await startPlatform(bench, { worker: true });
  const { keys } = await platform.createAccount({ keys: 1 });
  const client = { url: platform.serviceUrl, key: keys[0] as string };
  const pictures = bench.quick ? 20 : 50;
  const measure = async (way: Way): Promise<Cost> => {
    const before = usage(bench, platform);
    await make(way, client, pictures);
    const after = usage(bench, platform);
    const per = (name: keyof Cost) => ((after[name] - before[name]) * 1_000) / pictures;
    return {
      service: per('service'),
      studio: per('studio'),
      worker: per('worker'),
      postgres: per('postgres'),
    };
  };
  for (const way of [byApi, byBase64, byLink]) await make(way, client, clients * 5);
  const rounds: { api: Cost; base64: Cost; links: Cost }[] = [];
  for (let round = 1; round <= bench.rounds; round++) {
    const [api, base64, links] = [await measure(byApi), await measure(byBase64), await measure(byLink)];
    rounds.push({ api, base64, links });
    bench.say(`  round ${round}: /v1 ${text(api)}; base64 ${text(base64)}; links ${text(links)}`);
  }
  return Object.keys(doors).map((name) => {
    const door = name as keyof typeof doors;
    const ratios = rounds.map((round) => served(round[door]) / served(round.api));
    return {
      name: `facade, ${name}`,
      ratio: '–',
      cpuRatio: median(ratios).toFixed(2),
      ours: text(middle(rounds.map((round) => round[door]))),
      baseline: text(middle(rounds.map(({ api }) => api))),
      spread: `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
      goal: `CPU ratio ${goal} or less`,
      met: median(ratios) <= goal,
    };
  });
}

async function make(way: Way, client: { url: string; key: string }, pictures: number): Promise<void> {
  let begun = 0;
  const work = async () => {
    while (begun < pictures) await way(client, `a boat on a lake, number ${++begun}`);
  };
  await Promise.all(Array.from({ length: clients }, work));
}

function usage(bench: Bench, { service, studio, worker }: Platform): Cost {
  return {
    service: cpuSeconds(service.pid) ?? Number.NaN,
    studio: cpuSeconds(studio.pid) ?? Number.NaN,
    worker: treeCpuSeconds(worker?.pid ?? 0) ?? Number.NaN,
    postgres: bench.cluster.cpuSeconds() ?? Number.NaN,
  };
}

const served = ({ service, studio }: Cost) => service + studio;

function middle(costs: readonly Cost[]): Cost {
  const of = (name: keyof Cost) => median(costs.map((one) => one[name]));
  return { service: of('service'), studio: of('studio'), worker: of('worker'), postgres: of('postgres') };
}

function text(one: Cost): string {
  const parts = Object.entries(one).map(([name, ms]) => `${name} ${ms.toFixed(1)}`);
  return `${served(one).toFixed(1)} CPU ms (${parts.join(', ')})`;
}
