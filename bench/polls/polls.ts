import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Bench, Result } from '../benchmark.ts';
import { startChild } from '../child.ts';
import { createForEach } from '../create-generation.ts';
import { boundResult, milliseconds } from '../present.ts';
import { cpuSeconds, residentMegabytes } from '../process-usage.ts';
import { startScriptedPlatform } from '../scripted-platform.ts';
import { quantile } from '../statistics.ts';
import type { HoldPolls, PollsAnswer } from './hold-polls.ts';
import type { SettleAll } from './scripted-studio.ts';

const keys = 250;
const generations = 5_000;
const settleWithinMs = 1_000;
const waitSeconds = 60;
const sampleEveryMs = 50;
const goal = { megabytes: 120, p99: 150 };

/** Measures thousands of long polls on one process, while all their generations end within a second. */
export async function polls(bench: Bench): Promise<Result[]> {
  await using owners = new AsyncDisposableStack();
  const { url, service, studio, serviceDatabase, createAccount } = await startScriptedPlatform(bench, owners);
  const holder = owners.use(await startChild(file('hold-polls.ts')));
  const accounts: string[] = [];
  for (let n = 1; n <= (bench.quick ? keys / 10 : keys); n++) accounts.push((await createAccount()).key);
  const opened = await createForEach(url, accounts, generations / keys);
  await allRunning(serviceDatabase, opened.length);
  bench.say(`  ${opened.length} generations run`);

  const before = memoryOf(service.pid);
  await holder.ask({ open: { url, polls: opened, waitSeconds } } satisfies HoldPolls);
  await sleep(2_000);
  let most = memoryOf(service.pid);
  const sampling = setInterval(() => (most = Math.max(most, memoryOf(service.pid))), sampleEveryMs);
  const held = most - before;
  const cpuBefore = cpuSeconds(service.pid);
  const took = await studio.ask<number>({ settleWithinMs } satisfies SettleAll);
  const { wakeMs, others } = await holder.ask<PollsAnswer>({ collect: true } satisfies HoldPolls);
  clearInterval(sampling);
  if (wakeMs.length !== opened.length)
    throw new Error(
      `of ${opened.length} polls ${wakeMs.length} were answered, the others: ${JSON.stringify(others)}`,
    );
  const [p50, p99] = [quantile(wakeMs, 0.5), quantile(wakeMs, 0.99)];
  const cpu = (cpuSeconds(service.pid) ?? NaN) - (cpuBefore ?? NaN);
  bench.say(`  the studio ended them in ${Math.round(took)} ms; to tell all took ${cpu.toFixed(2)} CPU s`);
  return [
    boundResult({
      name: 'polls, memory',
      ours: `${(most - before).toFixed(0)} MB more at most, ${held.toFixed(0)} MB while ${opened.length} waited`,
      goal: `${goal.megabytes} MB or less`,
      met: most - before <= goal.megabytes,
    }),
    boundResult({
      name: 'polls, wake',
      ours: `p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)}`,
      goal: `p99 ${goal.p99} ms or less`,
      met: p99 <= goal.p99,
    }),
  ];
}

function file(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

function memoryOf(pid: number): number {
  return residentMegabytes(pid) ?? 0;
}

async function allRunning(database: Database, count: number): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const [row] = await database.rows<{ running: number }>(
      `select count(*) as running from generations where status = 'running'`,
    );
    if (row?.running === count) return;
    if (performance.now() > deadline)
      throw new Error(`${row?.running} of ${count} generations run after 60 s`);
    await sleep(100);
  }
}
