import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { startPart } from '@renderkit/server-kit/testing/part.ts';
import { workerNodeOptions } from '@renderkit/studio/config.ts';
import type { Bench, Result } from '../benchmark.ts';
import { startChild } from '../child.ts';
import { program } from '../platform.ts';
import { boundResult } from '../present.ts';
import { cpuSeconds, residentMegabytes } from '../process-usage.ts';
import type { CounterpartReport } from './counterparts.ts';
import { fillQueue, followedEngines, jobsOf } from './rows.ts';

const goals = { megabytes: 300, ofACore: 0.05 };
const sentWithinSeconds = 180;
/** After these seconds, polls of jobs without news are 15 seconds apart. */
const quietAfterSeconds = 60;
const measuredSeconds = 60;
const allJobs = followedEngines.reduce((sum, engine) => sum + jobsOf[engine], 0);

/**
 * Measures what it costs one worker to follow 500 long jobs, at providers and at a ComfyUI with one connection for
 * events: its memory, and its share of a core.
 */
export async function follow(bench: Bench): Promise<Result[]> {
  await using counterparts = await startChild(path.join(import.meta.dirname, 'counterparts.ts'));
  const tell = () => counterparts.ask<CounterpartReport>({});
  await using fresh = await bench.cluster.createDatabase('studio');
  const { database } = fresh;
  const report = await tell();
  const urls = {
    fal: report.fal.url,
    replicate: report.replicate.url,
    'openai-videos': report['openai-videos'].url,
    comfyui: report.comfyui.url,
  };
  await using worker = await startPart({
    name: 'worker',
    entry: program('studio/src/worker.ts'),
    nodeOptions: workerNodeOptions,
    environment: {
      LOG_LEVEL: 'warn',
      SECRET_KEY: '7e'.repeat(32),
      STUDIO_DATABASE_URL: fresh.url,
      DATA_DIR: path.join(bench.cluster.directory, 'media', 'follow'),
    },
    logDirectory: path.join(bench.cluster.directory, 'logs'),
    profileDirectory: bench.profileDirectory,
  });
  const idle = residentMegabytes(worker.pid) ?? 0;
  await fillQueue(database, urls);
  await untilSent(database);
  bench.say(`  ${allJobs} jobs are followed; the worker had ${idle.toFixed(0)} MB before`);
  await sleep((bench.quick ? quietAfterSeconds / 2 : quietAfterSeconds) * 1_000);
  const before = { cpu: cpuSeconds(worker.pid), at: performance.now(), looks: looksOf(await tell()) };
  await sleep((bench.quick ? measuredSeconds / 2 : measuredSeconds) * 1_000);
  const cpu = cpuSeconds(worker.pid);
  const seconds = (performance.now() - before.at) / 1_000;
  const now = await tell();
  const jobs = followedEngines.reduce((sum, engine) => sum + now[engine].jobs, 0);
  if (jobs !== allJobs) throw new Error(`${jobs} jobs were sent instead of ${allJobs}`);
  const megabytes = residentMegabytes(worker.pid);
  const share = cpu === undefined || before.cpu === undefined ? undefined : (cpu - before.cpu) / seconds;
  const looks = (looksOf(now) - before.looks) / seconds;
  return [
    boundResult({
      name: 'follow, memory',
      ours: megabytes === undefined ? 'not to be told here' : `${megabytes.toFixed(0)} MB, ${allJobs} jobs`,
      goal: `${goals.megabytes} MB or less`,
      met: megabytes !== undefined && megabytes <= goals.megabytes,
    }),
    boundResult({
      name: 'follow, processor',
      ours:
        share === undefined
          ? 'not to be told here'
          : `${(100 * share).toFixed(1)} % of a core, ${looks.toFixed(0)} looks a second`,
      goal: `${100 * goals.ofACore} % or less`,
      met: share !== undefined && share <= goals.ofACore,
    }),
  ];
}

function looksOf(report: CounterpartReport): number {
  return followedEngines.reduce((sum, engine) => sum + report[engine].looks, 0);
}

async function untilSent(database: Database): Promise<void> {
  for (let seconds = 0; seconds < sentWithinSeconds; seconds++) {
    const [row] = await database.rows<{ sent: number }>(
      `select count(*)::integer as sent from submissions where state = 'sent'`,
    );
    if (row?.sent === allJobs) return;
    await sleep(1_000);
  }
  throw new Error(`not all of ${allJobs} jobs were sent within ${sentWithinSeconds} seconds`);
}
