import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, Result } from '../benchmark.ts';
import { startChild } from '../child.ts';
import { createForEach } from '../create-generation.ts';
import { finishAll } from '../finish-all.ts';
import type { HttpLoad, HttpLoadAnswer } from '../load/http-load.ts';
import { childFile } from '../load/measure-rate.ts';
import { freePort, originOf, type Platform, startPlatform } from '../platform.ts';
import { boundResult } from '../present.ts';
import { addEndpoints, wake, writeEvents } from '../webhooks/events.ts';
import { type Cost, measureCost } from './meter.ts';

const accounts = 20;
const connections = 32;
const deliveredWithinMs = 180_000;

/**
 * Measures what one create, read, delivery and whole generation cost each process, the network and the disks:
 * docs/scale.md.
 */
export async function cost(bench: Bench): Promise<Result[]> {
  const results: Result[] = [];
  const keep = (name: string, measured: Cost) => {
    const result = boundResult({
      name: `cost, ${name}`,
      ours: costText(measured),
      goal: 'none: a figure to know',
      met: true,
    });
    bench.say(`  ${result.name}: ${result.ours}`);
    results.push(result);
  };
  await measureRequests(bench, keep);
  await measureGenerations(bench, keep);
  return results;
}

/** The requests, without the server that gets them. */
type Requests = HttpLoad extends infer One
  ? One extends HttpLoad
    ? Omit<One, 'url' | 'connections'>
    : never
  : never;

type Keep = (name: string, measured: Cost) => void;

/** Without a worker nothing is rendered: accepted generations wait. */
async function measureRequests(bench: Bench, keep: Keep): Promise<void> {
  await using platform = await startPlatform(bench, { worker: false, loopbackReceivers: true });
  const people = await Promise.all(
    Array.from({ length: accounts }, () => platform.createAccount({ keys: 1 })),
  );
  const keys = people.map((person) => person.keys[0] as string);
  await using load = await startChild(childFile('http-load.ts'));
  const ask = async (what: Requests, status: string) => {
    const sent: HttpLoad = { url: platform.serviceUrl, connections, ...what };
    const { statuses } = await load.ask<HttpLoadAnswer>(sent);
    if (Object.keys(statuses).join() !== status)
      throw new Error(`answers other than ${status}: ${JSON.stringify(statuses)}`);
    return statuses[status] as number;
  };
  const creates = (name: string) => ({ path: '/v1/images/generations', keys, name });
  const made = await createForEach(platform.serviceUrl, keys, 5);
  const few = bench.quick ? 10 : 1;

  await ask({ requests: 4_000 / few, creates: creates('warm') }, '202');
  const created = () => ask({ requests: 8_000 / few, creates: creates('measured') }, '202');
  keep('create', await measureCost(bench, platform, created));

  const reads = made.map(({ id, key }) => ({ path: `/v1/generations/${id}`, key }));
  await ask({ requests: 10_000 / few, reads }, '200');
  const read = () => ask({ requests: 20_000 / few, reads }, '200');
  keep('read', await measureCost(bench, platform, read));

  const ids = people.map(({ id }) => id);
  keep('delivery', await measureDeliveries(bench, platform, ids));
}

async function measureDeliveries(bench: Bench, platform: Platform, ids: readonly string[]): Promise<Cost> {
  const port = await freePort();
  await using sink = await startChild(new URL('../webhooks/sink.ts', import.meta.url).pathname, { port });
  for (const id of ids) await addEndpoints(platform, id, [`${originOf(port)}/ok/${id}`]);
  const deliver = async (perAccount: number) => {
    const wanted = (await sink.ask<number>('count')) + perAccount * ids.length;
    await writeEvents(platform.serviceDatabase, ids, perAccount);
    await wake(platform.serviceDatabase, ids[0] as string);
    const deadline = performance.now() + deliveredWithinMs;
    while ((await sink.ask<number>('count')) < wanted) {
      if (performance.now() > deadline) throw new Error('the deliveries did not end in time');
      await sleep(20);
    }
    return perAccount * ids.length;
  };
  await deliver(bench.quick ? 10 : 100);
  return await measureCost(bench, platform, () => deliver(bench.quick ? 25 : 250));
}

/** Measures generations from the create to the end. A worker draws them; clients read each with one long poll. */
async function measureGenerations(bench: Bench, keep: Keep): Promise<void> {
  await using platform = await startPlatform(bench, { worker: true });
  const people = await Promise.all(Array.from({ length: 4 }, () => platform.createAccount({ keys: 1 })));
  const keys = people.map((person) => person.keys[0] as string);
  for (const [model, total] of [
    ['sketch-1', bench.quick ? 40 : 400],
    ['atelier-1', bench.quick ? 8 : 60],
  ] as const) {
    await finishAll(platform.serviceUrl, keys, { model, total: 8 });
    const finish = async () => {
      await finishAll(platform.serviceUrl, keys, { model, total });
      return total;
    };
    keep(`generation by ${model}`, await measureCost(bench, platform, finish));
  }
}

function costText({ cpuMs, bytes, walBytes, rowBytes, indexBytes }: Cost): string {
  const cpu = Object.entries(cpuMs)
    .filter(([, ms]) => ms > 0)
    .map(([name, ms]) => `${name} ${ms.toFixed(2)}`);
  const kilobytes = (count: number) => `${(count / 1_000).toFixed(1)} kB`;
  return [
    `CPU ms: ${cpu.join(', ')}`,
    `moved by the service ${kilobytes(bytes.service)}, by the studio ${kilobytes(bytes.studio)}`,
    `log ${kilobytes(walBytes)}`,
    `rows ${kilobytes(rowBytes)}, indexes ${kilobytes(indexBytes)}`,
  ].join('; ');
}
