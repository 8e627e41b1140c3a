import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MigrationResult } from '@renderkit/server-kit/schema/migrate.ts';
import { readSchemaFiles } from '@renderkit/server-kit/schema/read-schema-files.ts';
import { release } from '@renderkit/server-kit/schema/release.ts';
import { migrateBefore } from '@renderkit/server-kit/testing/migrate-before.ts';
import { migrateService } from '@renderkit/service/migrate.ts';
import { migrateStudio } from '@renderkit/studio/migrate.ts';
import type { Bench, Result } from '../benchmark.ts';
import type { FreshDatabase } from '../cluster.ts';
import { boundResult } from '../present.ts';
import { fillGenerations, insertAccount } from '../size/rows.ts';
import { fillRenders } from './fill-renders.ts';
import { type HoldUp, probeTables } from './probe-tables.ts';

const rows = { full: 2_000_000, quick: 200_000 };
const accountId = 'acc_0000000000000000000migrate';
/** Image jobs that a claim may take at once. */
const slots = 8;
/** The probe's first statements open connections and are not counted. */
const warmUpMs = 1_000;
/** How long the probe runs before the migrations, to measure the delays of the machine itself, and after them. */
const quietMs = 3_000;
const goalMs = 200;

type Server = {
  name: 'service' | 'studio';
  migrate: (url: string) => Promise<MigrationResult>;
  /** Writes as many rows as a large installation has, in the schema of the release before. */
  fill: (data: FreshDatabase, count: number) => Promise<void>;
};

const servers: readonly Server[] = [
  {
    name: 'service',
    migrate: migrateService,
    fill: async ({ database }, count) => {
      await insertAccount(database, accountId, slots);
      await fillGenerations(database, { accountId, count });
    },
  },
  { name: 'studio', migrate: migrateStudio, fill: ({ database }, count) => fillRenders(database, count) },
];

/** Measures the longest delay of the traffic on large tables while the newest release prepares its databases. */
export async function migrate(bench: Bench): Promise<Result[]> {
  const results: Result[] = [];
  for (const server of servers) results.push(await measure(bench, server));
  return results;
}

async function measure(bench: Bench, server: Server): Promise<Result> {
  await using data = await bench.cluster.createDatabase('empty');
  await prepareReleaseBefore(data.url, server.name);
  const count = bench.quick ? rows.quick : rows.full;
  await server.fill(data, count);
  bench.say(`  ${server.name}: ${count.toLocaleString('en-GB')} rows written`);

  await using probe = await probeTables(data.url);
  await sleep(warmUpMs);
  probe.takeLongest();
  await sleep(quietMs);
  const without = probe.takeLongest();
  const begin = performance.now();
  const { applied, functions } = await server.migrate(data.url);
  const seconds = (performance.now() - begin) / 1_000;
  await sleep(quietMs);
  const longest = probe.takeLongest();
  bench.say(
    `  ${server.name}: ${applied.join(', ') || 'no migrations'}; ${functions.length} functions; ${seconds.toFixed(1)} s`,
  );
  return boundResult({
    name: `migrate, ${server.name}`,
    ours: `${describe(longest)} held up at most (${describe(without)} without), ${applied.length} migrations`,
    goal: `${goalMs} ms or less`,
    met: longest.milliseconds <= goalMs,
  });
}

/** Prepares the tables as the release before left them: runs every migration except those of this release. */
async function prepareReleaseBefore(url: string, server: Server['name']): Promise<void> {
  const directory = path.resolve(import.meta.dirname, '../..', server, 'sql');
  const { migrations } = await readSchemaFiles(directory);
  const first = migrations.find((migration) => migration.release === release);
  await migrateBefore(url, directory, first?.name.slice(0, 3) ?? '999');
}

function describe({ milliseconds, statement }: HoldUp): string {
  return `${milliseconds.toFixed(0)} ms (${statement})`;
}
