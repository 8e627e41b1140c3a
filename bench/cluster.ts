import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Database, openDatabase } from '@renderkit/server-kit/db/database.ts';
import { migrate } from '@renderkit/server-kit/schema/migrate.ts';
import { startPostgres } from '@renderkit/stack/postgres/start-postgres.ts';
import { migrateStudio } from '@renderkit/studio/migrate.ts';
import { treeCpuSeconds } from './process-usage.ts';

export type FreshDatabase = AsyncDisposable & { url: string; database: Database };

export type Cluster = AsyncDisposable & {
  /** For logs and media; removed at the end with the cluster. */
  directory: string;
  /** Seconds of processor time of all its processes; undefined if that cannot be read. */
  cpuSeconds: () => number | undefined;
  /** Creates a migrated database (or an empty one) that nobody has used; it is dropped when disposed. */
  createDatabase: (template: 'service' | 'studio' | 'empty') => Promise<FreshDatabase>;
};

const serviceSql = path.resolve(import.meta.dirname, '../service/sql');

/** Starts one PostgreSQL for the whole run, with the product's own settings, in a temporary directory. */
export async function startCluster(say: (text: string) => void): Promise<Cluster> {
  const directory = await mkdtemp(path.join(tmpdir(), 'renderkit-bench-'));
  // If this runs as root, the server's account must be able to enter the directory.
  await chmod(directory, 0o711);
  const postgres = await startPostgres({ dataDirectory: directory, databases: [], onDown: say });
  const urlOf = (name: string) => postgres.superuserUrl.replace(/\/postgres$/, `/${name}`);
  const maintenance = openDatabase({
    url: postgres.superuserUrl,
    applicationName: 'bench',
    poolSize: 1,
    statementTimeoutMs: 0,
  });
  const templates = ['service', 'studio', 'empty'] as const;
  for (const template of templates) await maintenance.rows(`create database template_${template}`);
  await migrate({ url: urlOf('template_service'), directory: serviceSql });
  await migrateStudio(urlOf('template_studio'));
  const pidFile = await readFile(path.join(postgres.clusterDirectory, 'postmaster.pid'), 'utf8');
  return {
    directory,
    cpuSeconds: () => treeCpuSeconds(Number.parseInt(pidFile, 10)),
    createDatabase: async (template) => {
      const name = `bench_${template}_${randomBytes(6).toString('hex')}`;
      await maintenance.rows(`create database ${name} template template_${template}`);
      const database = openDatabase({
        url: urlOf(name),
        applicationName: 'bench',
        poolSize: 4,
        statementTimeoutMs: 0,
      });
      return {
        url: urlOf(name),
        database,
        [Symbol.asyncDispose]: async () => {
          await database[Symbol.asyncDispose]();
          await maintenance.rows(`drop database ${name} with (force)`);
        },
      };
    },
    [Symbol.asyncDispose]: async () => {
      await maintenance[Symbol.asyncDispose]();
      await postgres[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
