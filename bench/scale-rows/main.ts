// Measures what scale costs: `node stack/launch.mjs --dev bench/scale-rows/main.ts [--generations N] [--rounds N]
// [--data DIRECTORY]`. Fills two databases of a service, one with N generations (10,000,000 by default, with 100,000
// accounts and 50,000,000 deliveries: some 70 GB), one with 10,000, and compares them. The large one stays in
// DIRECTORY, if one is given.

import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Database, openDatabase } from '@renderkit/server-kit/db/database.ts';
import { migrate } from '@renderkit/server-kit/schema/migrate.ts';
import { startPostgres } from '@renderkit/stack/postgres/start-postgres.ts';
import { timeResult } from '../present.ts';
import { summarise } from '../rounds.ts';
import { median } from '../statistics.ts';
import { actionsOf, addWork } from './actions.ts';
import { amountsOf, fillInstallation } from './fill.ts';
import { bytesPerGeneration } from './table-sizes.ts';

const small = 10_000;
const timesPerRound = 20;
const goal = 1.15;
const serviceSql = path.resolve(import.meta.dirname, '../../service/sql');

const { values } = parseArgs({
  options: {
    generations: { type: 'string', default: '10000000' },
    rounds: { type: 'string', default: '5' },
    data: { type: 'string' },
  },
});
const generations = Number(values.generations);
const rounds = Number(values.rounds);
if (!Number.isSafeInteger(generations) || generations < small)
  throw new Error(`--generations must be a whole number of ${small} or more`);
if (!Number.isSafeInteger(rounds) || rounds < 1)
  throw new Error('--rounds must be a whole number of 1 or more');
await run();

async function run(): Promise<void> {
  await using owners = new AsyncDisposableStack();
  const directory = path.resolve(values.data ?? (await mkdtemp(path.join(tmpdir(), 'renderkit-rows-'))));
  if (values.data === undefined) owners.defer(() => rm(directory, { recursive: true, force: true }));
  await mkdir(directory, { recursive: true });
  // If this runs as root, the server's account must be able to enter the directory.
  await chmod(directory, 0o711);
  const names = { large: `rows_${generations}`, small: `rows_${small}` };
  const postgres = owners.use(
    await startPostgres({
      dataDirectory: directory,
      databases: [names.large, names.small],
      onDown: console.log,
    }),
  );
  const open = async (name: string, count: number) => {
    const url = postgres
      .urlFor(name)
      .replace(/\/\/[^@]*@/, /\/\/[^@]*@/.exec(postgres.superuserUrl)?.[0] ?? '');
    const database = owners.use(
      openDatabase({ url, applicationName: 'bench', poolSize: 4, statementTimeoutMs: 0 }),
    );
    // The small database is created anew: the cleaner soon has nothing left to remove there.
    if (count === small) await startAnew(database);
    await migrate({ url, directory: serviceSql });
    await fillOnce(database, count);
    await addWork(database);
    return database;
  };
  const databases = { large: await open(names.large, generations), small: await open(names.small, small) };
  for (const line of await bytesPerGeneration(databases.large)) console.log(line);
  await compareActions(databases);
}

async function startAnew(database: Database): Promise<void> {
  for (const statement of ['drop schema public cascade', 'create schema public'])
    await database.rows(statement);
}

async function fillOnce(database: Database, count: number): Promise<void> {
  const [row] = await database.rows<{ there: boolean }>('select exists (select from accounts) as there');
  if (row?.there === true) return;
  const begin = performance.now();
  await fillInstallation(database, count, console.log);
  const { accounts, deliveries } = amountsOf(count);
  const seconds = Math.round((performance.now() - begin) / 1000);
  console.log(
    `${count.toLocaleString('en-GB')} generations, ${accounts.toLocaleString('en-GB')} accounts and ${deliveries.toLocaleString('en-GB')} deliveries written in ${seconds} s`,
  );
}

/** Measures both in turn, so that neither has a quieter machine than the other. */
async function compareActions(databases: { large: Database; small: Database }): Promise<void> {
  for (const [name, action] of Object.entries(actionsOf())) {
    const pairs = [];
    // The first round warms connections and plans.
    for (let round = 0; round <= rounds; round++) {
      const [ours, baseline]: [number[], number[]] = [[], []];
      for (let n = 0; n < timesPerRound; n++) {
        ours.push(await action(databases.large));
        baseline.push(await action(databases.small));
      }
      if (round > 0) pairs.push({ ours: { value: median(ours) }, baseline: { value: median(baseline) } });
    }
    const { ratio, spread, ours, baseline, met } = timeResult(name, summarise(pairs), goal);
    console.log(`| ${name} | ${ratio} | ${ours} | ${baseline} | ${spread} | ${met ? 'yes' : 'no'} |`);
  }
}
