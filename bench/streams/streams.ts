import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { maxStreamsPerKey } from '@renderkit/contract/v1/limits.ts';
import type { Bench, Result } from '../benchmark.ts';
import { startChild } from '../child.ts';
import { createForEach } from '../create-generation.ts';
import { originOf } from '../platform.ts';
import type { ReportAll } from '../polls/scripted-studio.ts';
import { boundResult, milliseconds } from '../present.ts';
import { cpuSeconds, residentMegabytes } from '../process-usage.ts';
import { startScriptedPlatform } from '../scripted-platform.ts';
import { quantile } from '../statistics.ts';
import type { HoldStreams, StreamsAnswer } from './hold-streams.ts';

const generations = 100;
const seconds = 20;
const goal = { megabytes: 600, p99: 400 };

/**
 * Measures ten thousand streams on one process: a hundred readers of each of a hundred renders, which report once a
 * second each.
 */
export async function streams(bench: Bench): Promise<Result[]> {
  await using owners = new AsyncDisposableStack();
  const { port, service, studio, createAccount } = await startScriptedPlatform(bench, owners);
  const holder = owners.use(await startChild(file('hold-streams.ts')));
  const keys: string[] = [];
  for (let n = 1; n <= (bench.quick ? generations / 10 : generations); n++)
    keys.push((await createAccount()).key);
  const watched = await createForEach(originOf(port), keys, 1);
  const all = watched.flatMap((one) => Array.from({ length: maxStreamsPerKey }, () => one));
  const memory = () => residentMegabytes(service.pid) ?? 0;
  const before = memory();
  await holder.ask({ open: { port, streams: all } } satisfies HoldStreams);
  bench.say(`  ${all.length} streams are open`);
  await sleep(5_000);
  await holder.ask<StreamsAnswer>({ collect: true } satisfies HoldStreams);
  const cpuBefore = cpuSeconds(service.pid) ?? NaN;
  await studio.ask({ reportSeconds: seconds } satisfies ReportAll);
  await sleep(1_000);
  const cpu = (cpuSeconds(service.pid) ?? NaN) - cpuBefore;
  const { lateMs, closed } = await holder.ask<StreamsAnswer>({ collect: true } satisfies HoldStreams);
  if (closed > 0) throw new Error(`${closed} of ${all.length} streams closed`);
  const most = memory();
  const [p50, p99] = [quantile(lateMs, 0.5), quantile(lateMs, 0.99)];
  bench.say(`  ${lateMs.length} reports arrived, for ${cpu.toFixed(1)} CPU s in ${seconds} s`);
  return [
    boundResult({
      name: 'streams, memory',
      ours: `${most.toFixed(0)} MB with ${all.length} streams, ${before.toFixed(0)} MB before`,
      goal: `${goal.megabytes} MB or less`,
      met: most <= goal.megabytes,
    }),
    boundResult({
      name: 'streams, report to socket',
      ours: `p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)}`,
      goal: `p99 ${goal.p99} ms or less`,
      met: p99 <= goal.p99,
    }),
  ];
}

function file(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
