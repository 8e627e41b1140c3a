// Measures: `npm run bench [-- name…] [--quick] [--rounds N] [--seconds N] [--profile DIRECTORY] [--record]`. Without
// names it runs all benchmarks and rewrites bench/RESULTS.md; with names only if --record is given.

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { compilePrograms } from '@renderkit/server-kit/testing/part.ts';
import type { Bench, Benchmark, Result } from './benchmark.ts';
import { startCluster } from './cluster.ts';
import { claim } from './claim/claim.ts';
import { cli } from './cli/cli.ts';
import { consolePages } from './console/console.ts';
import { cost } from './cost/cost.ts';
import { create } from './create/create.ts';
import { facade } from './facade/facade.ts';
import { follow } from './follow/follow.ts';
import { media } from './media/media.ts';
import { neighbour } from './neighbour/neighbour.ts';
import { memory } from './memory/memory.ts';
import { migrate } from './migrate/migrate.ts';
import { peer } from './peer/peer.ts';
import { picture } from './picture/picture.ts';
import { polls } from './polls/polls.ts';
import { start } from './start/start.ts';
import { streams } from './streams/streams.ts';
import { read } from './read/read.ts';
import { resultsText } from './results.ts';
import { s3 } from './s3/s3.ts';
import { scale } from './scale/scale.ts';
import { scaleOut } from './scale-out/scale-out.ts';
import { size } from './size/size.ts';
import { submit } from './submit/submit.ts';
import { upload } from './upload/upload.ts';
import { webhooks } from './webhooks/webhooks.ts';

const benchmarks: Record<string, Benchmark> = {
  read,
  cost,
  create,
  claim,
  submit,
  follow,
  polls,
  streams,
  facade,
  size,
  cli,
  console: consolePages,
  memory,
  migrate,
  neighbour,
  peer,
  picture,
  start,
  webhooks,
  upload,
  media,
  s3,
  scale,
  'scale-out': scaleOut,
};
const resultsFile = path.join(import.meta.dirname, 'RESULTS.md');

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    profile: { type: 'string' },
  },
});
const unknown = names.filter((name) => benchmarks[name] === undefined);
if (unknown.length > 0) {
  console.error(
    `There is no benchmark ${unknown.join(', ')}; there are ${Object.keys(benchmarks).join(', ')}.`,
  );
  process.exitCode = 1;
} else await run(names.length > 0 ? names : Object.keys(benchmarks));
if (process.connected) process.disconnect();

async function run(chosen: readonly string[]): Promise<void> {
  const rounds = Number(values.rounds ?? (values.quick ? 2 : 5));
  const seconds = Number(values.seconds ?? (values.quick ? 2 : 4));
  const say = (text: string) => console.log(text);
  await compilePrograms();
  await using cluster = await startCluster(say);
  const profileDirectory = values.profile === undefined ? undefined : path.resolve(values.profile);
  const bench: Bench = { cluster, rounds, seconds, quick: values.quick, profileDirectory, say };
  const results: Result[] = [];
  for (const name of chosen) {
    say(`${name}:`);
    const found = await (benchmarks[name] as Benchmark)(bench);
    for (const result of found) say(`  ${lineOf(result)}`);
    results.push(...found);
  }
  const complete = names.length === 0 && !values.quick;
  if (complete || values.record)
    await writeFile(resultsFile, resultsText(results, { rounds, date: new Date() }));
  if (results.some(({ met }) => !met)) say('Not every goal was reached.');
}

function lineOf(result: Result): string {
  const parts = [`${result.name}:`];
  if (result.ratio !== '–') parts.push(`ratio ${result.ratio} (${result.spread}),`);
  if (result.cpuRatio !== '–') parts.push(`CPU ratio ${result.cpuRatio},`);
  parts.push(result.ours);
  if (result.baseline !== '–') parts.push(`against ${result.baseline}`);
  parts.push(`[goal ${result.goal}: ${result.met ? 'reached' : 'not reached'}]`);
  return parts.join(' ');
}
