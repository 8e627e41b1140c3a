// Makes generations at a steady pace for a long time and checks whether anything grows that should not: `node
// stack/launch.mjs --dev bench/steady/main.ts [--minutes 30] [--per-second 500]`. The studio is a script that ends each
// generation within a second, and each account has a webhook, so that all tables of the service are used. Exit status 1
// if something is not flat.

import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { compilePrograms } from '@renderkit/server-kit/testing/part.ts';
import { startChild } from '../child.ts';
import { startCluster } from '../cluster.ts';
import { freePort, originOf } from '../platform.ts';
import { cpuSeconds } from '../process-usage.ts';
import { startScriptedPlatform } from '../scripted-platform.ts';
import { quantile } from '../statistics.ts';
import { addEndpoints } from '../webhooks/events.ts';
import type { CreatesAnswer, SteadyCreates } from './creates.ts';
import { compare } from './compare.ts';
import { type Sample, takeSample } from './sample.ts';

const accounts = 50;
const settleAfterMs = 500;
const secondsPerSample = 60;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    'per-second': { type: 'string', default: '500' },
  },
});
const [minutes, perSecond] = [Number(values.minutes), Number(values['per-second'])];
if (!Number.isSafeInteger(minutes) || minutes < 3)
  throw new Error('--minutes must be a whole number of 3 or more');
if (!Number.isSafeInteger(perSecond) || perSecond < 1)
  throw new Error('--per-second must be a whole number of 1 or more');
await run();
if (process.connected) process.disconnect();

async function run(): Promise<void> {
  await using owners = new AsyncDisposableStack();
  await compilePrograms();
  const cluster = owners.use(await startCluster(console.log));
  const platform = await startScriptedPlatform({ cluster, profileDirectory: undefined }, owners, {
    studio: { settleAfterMs },
    environment: { EGRESS_ALLOW: '127.0.0.0/8' },
  });
  const { url, service, serviceDatabase } = platform;
  const port = await freePort();
  const sink = owners.use(await startChild(file('../webhooks/sink.ts'), { port }));
  const creator = owners.use(await startChild(file('creates.ts')));
  const keys: string[] = [];
  for (let n = 0; n < accounts; n++) {
    const { id, key } = await platform.createAccount();
    await addEndpoints(platform, id, [`${originOf(port)}/ok/${n}`]);
    keys.push(key);
  }
  const used = () => (cpuSeconds(service.pid) ?? Number.NaN) + (cluster.cpuSeconds() ?? Number.NaN);
  const samples: Sample[] = [];
  let refusedInAll = 0;
  for (let minute = 1; minute <= minutes; minute++) {
    const before = used();
    const asked: SteadyCreates = { url, keys, perSecond, seconds: secondsPerSample };
    const { milliseconds, refused } = await creator.ask<CreatesAnswer>(asked);
    refusedInAll += refused;
    const sample = await takeSample(service.pid, serviceDatabase);
    samples.push(sample);
    const [p50, p99] = [quantile(milliseconds, 0.5), quantile(milliseconds, 0.99)];
    const cpu = ((used() - before) / milliseconds.length) * 1_000;
    console.log(
      `  minute ${minute}: ${milliseconds.length} creates, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(0)} ms, ${refused} refused; ` +
        `${cpu.toFixed(2)} CPU s per 1,000 (service and PostgreSQL); ${sample.open} run, ${sample.queued} deliveries wait; ` +
        `${sample.megabytes.toFixed(0)} MB, ${sample.handles} handles`,
    );
  }
  const delivered = await sink.ask<number>('count');
  console.log(
    `${samples.at(-1)?.made} generations, ${refusedInAll} creates refused, ${delivered} webhooks arrived`,
  );
  const compared = compare(samples);
  console.log('\n| what | second third | last third | flat |\n| --- | --- | --- | --- |');
  for (const { name, earlier, later, flat } of compared)
    console.log(`| ${name} | ${earlier} | ${later} | ${flat ? 'yes' : '**no**'} |`);
  if (refusedInAll > 0 || compared.some(({ flat }) => !flat)) process.exitCode = 1;
}

function file(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
