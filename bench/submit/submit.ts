import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Bench, Result } from '../benchmark.ts';
import { createGeneration } from '../create-generation.ts';
import { startPlatform } from '../platform.ts';
import { boundResult, milliseconds } from '../present.ts';
import { quantile } from '../statistics.ts';

/** Generations of a pro account in the image lane that can be in progress without a worker that would end them. */
const placesPerAccount = 4;
const pauseMs = 25;
const goal = { p50: 15, p99: 60 };

/**
 * Measures how long it takes from a create's acceptance until the studio has it, with nothing else to do. The clock of
 * one database server gives both times. No worker runs: rendering would take the core that is measured.
 */
export async function submit(bench: Bench): Promise<Result[]> {
  await using platform = await startPlatform(bench, { worker: false });
  const accounts = bench.quick ? 10 : 100;
  const keys: string[] = [];
  for (let n = 0; n < accounts; n++) keys.push(...(await platform.createAccount({ keys: 1 })).keys);
  // The first create of each account also fetches its token, its catalog and its limits.
  const first = await createOneByOne(platform.serviceUrl, keys);
  await submitted(platform.studioDatabase, first.length);
  const measured: string[] = [];
  for (let n = 1; n < placesPerAccount; n++)
    measured.push(...(await createOneByOne(platform.serviceUrl, keys)));
  await submitted(platform.studioDatabase, first.length + measured.length);

  const times = await submitTimes(platform, measured);
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
  return [
    boundResult({
      name: 'submit',
      ours: `p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)} (${times.length} creates)`,
      goal: `p50 ${goal.p50} ms, p99 ${goal.p99} ms or less`,
      met: p50 <= goal.p50 && p99 <= goal.p99,
    }),
  ];
}

/** Makes one create for each key, with a pause after each, so that the next finds nothing in progress. */
async function createOneByOne(url: string, keys: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const key of keys) {
    ids.push(await createGeneration(url, key, `a quiet harbour in the morning, picture ${ids.length}`));
    await sleep(pauseMs);
  }
  return ids;
}

/** Waits until the studio has so many renders. */
async function submitted(studio: Database, count: number): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const [row] = await studio.rows<{ renders: number }>('select count(*) as renders from renders');
    if (row !== undefined && row.renders >= count) return;
    if (performance.now() > deadline)
      throw new Error(`of ${count} creates the studio got ${row?.renders} within 30 s`);
    await sleep(50);
  }
}

async function submitTimes(
  platform: { serviceDatabase: Database; studioDatabase: Database },
  ids: readonly string[],
): Promise<number[]> {
  const accepted = await platform.serviceDatabase.rows<{ id: string; ms: number }>(
    'select id, (extract(epoch from created_at) * 1000)::float8 as ms from generations where id = any ($1)',
    [ids],
  );
  const taken = await platform.studioDatabase.rows<{ token: string; ms: number }>(
    'select token, (extract(epoch from accepted_at) * 1000)::float8 as ms from renders where token = any ($1)',
    [ids],
  );
  const takenAt = new Map(taken.map(({ token, ms }) => [token, ms]));
  return accepted.map(({ id, ms }) => (takenAt.get(id) ?? Infinity) - ms);
}
