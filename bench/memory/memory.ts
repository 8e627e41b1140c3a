import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, Result } from '../benchmark.ts';
import { startPlatform } from '../platform.ts';
import { boundResult } from '../present.ts';
import { residentMegabytes } from '../process-usage.ts';

const goalMegabytes = 160;
const waitSeconds = 60;

/** What the service holds of memory one minute after its first create. */
export async function memory(bench: Bench): Promise<Result[]> {
  await using platform = await startPlatform(bench, { worker: true });
  const { keys } = await platform.createAccount({ keys: 1 });
  const answer = await fetch(`${platform.serviceUrl}/v1/images/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys[0]}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'a lighthouse over a calm sea at dusk' }),
  });
  if (answer.status !== 202)
    throw new Error(`the create was answered ${answer.status}: ${await answer.text()}`);
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
