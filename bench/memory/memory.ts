import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, Result } from '../benchmark.ts';
import { createGeneration } from '../create-generation.ts';
import { startPlatform } from '../platform.ts';
import { boundResult } from '../present.ts';
import { residentMegabytes } from '../process-usage.ts';

const goalMegabytes = 140;
const waitSeconds = 60;

/** Measures the service's memory one minute after its first create. */
export async function memory(bench: Bench): Promise<Result[]> {
  await using platform = await startPlatform(bench, { worker: true });
  const { keys } = await platform.createAccount({ keys: 1 });
  await createGeneration(platform.serviceUrl, keys[0] as string, 'a lighthouse over a calm sea at dusk');
  const seconds = bench.quick ? 5 : waitSeconds;
  await sleep(seconds * 1000);
  const megabytes = residentMegabytes(platform.service.pid);
  return [
    boundResult({
      name: 'memory',
      ours: megabytes === undefined ? 'not to be told here' : `${megabytes.toFixed(0)} MB after ${seconds} s`,
      goal: `${goalMegabytes} MB or less after ${waitSeconds} s`,
      met: megabytes !== undefined && megabytes <= goalMegabytes,
    }),
  ];
}
