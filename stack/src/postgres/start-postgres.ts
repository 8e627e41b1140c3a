import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { StackError } from '../stack-error.ts';
import { type ClusterConnection, databaseUrl, superuser } from './connection.ts';
import type { SupervisorTask } from './supervisor-protocol.ts';
import { unprivilegedAccount } from './os-account.ts';
import { recordedAddress } from './orphan.ts';
import { accountOf, type ClusterPlace, findClusterPlace, sharedDirectory } from './place.ts';
import { type Availability, runSupervisor } from './run-supervisor.ts';
import { ensureDatabases, identifyServer, isRefusedPassword } from './store.ts';

export type ClusterAddresses = {
  /** Returns the URL of a database for its role, which owns only this database. */
  urlFor: (database: string) => string;
  /** The superuser's URL of the maintenance database. */
  superuserUrl: string;
  /** The directory of PostgreSQL's files. */
  clusterDirectory: string;
};

export type Postgres = ClusterAddresses & Availability & AsyncDisposable;

export type PostgresOptions = {
  /** The stack's data directory. It must exist, and the caller must hold its lock. */
  dataDirectory: string;
  /** Databases to create if they are missing, each with a role of the same name that owns it. */
  databases: readonly string[];
  /** Default: `logs/postgres.log` in the data directory. */
  logFile?: string;
  /** The account for the server when this process is root. Default `nobody`. */
  osUser?: string;
  /** Settings that replace the default ones, for data that nobody keeps. */
  settings?: Record<string, string>;
  /** Called when the server or its supervisor dies. It is always restarted. */
  onDown?: (reason: string) => void;
  /** Told each time that the server serves, the first time included. */
  onUp?: () => void;
};

/**
 * Starts the embedded PostgreSQL and keeps it running until disposed. Creates its cluster first if there is none.
 * @throws StackError, PostgresMissing, ClusterLost, UnknownOsAccount
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const task = await prepareTask(options);
  const nothing = () => undefined;
  const supervisor = await runSupervisor(task, {
    down: options.onDown ?? nothing,
    up: options.onUp ?? nothing,
  });
  const { passwordFile } = task.place;
  const password = await readFile(passwordFile, 'utf8').catch(() => '');
  const cluster = { ...supervisor.address, password };
  try {
    if (password === '') throw passwordLost(passwordFile);
    await ensureDatabases(cluster, options.databases);
  } catch (error) {
    await supervisor.stop();
    throw isRefusedPassword(error) ? passwordLost(passwordFile, error) : error;
  }
  return {
    ...addressesOf(task.place, cluster),
    isUp: supervisor.isUp,
    whenUp: supervisor.whenUp,
    [Symbol.asyncDispose]: supervisor.stop,
  };
}

function passwordLost(file: string, cause?: unknown): StackError {
  return new StackError(
    `${file} does not hold the password of the built-in database: put the file back (a backup has it).`,
    { cause },
  );
}

/**
 * Returns the addresses of a server that another process runs on this data directory; `undefined` when there is none.
 */
export async function findRunningPostgres(options: {
  dataDirectory: string;
  osUser?: string;
}): Promise<ClusterAddresses | undefined> {
  const place = await findClusterPlace(options.dataDirectory, await unprivilegedAccount(options.osUser));
  const address = await recordedAddress(place);
  const password = await readFile(place.passwordFile, 'utf8').catch(() => undefined);
  if (address === undefined || password === undefined) return undefined;
  const cluster = { ...address, password };
  return (await identifyServer(cluster)) && addressesOf(place, cluster);
}

function addressesOf(place: ClusterPlace, cluster: ClusterConnection): ClusterAddresses {
  return {
    superuserUrl: databaseUrl(cluster, 'postgres', superuser),
    urlFor: (database) => databaseUrl(cluster, database, database),
    clusterDirectory: place.dataDirectory,
  };
}

async function prepareTask(options: PostgresOptions): Promise<Omit<SupervisorTask, 'served'>> {
  const chosen = await unprivilegedAccount(options.osUser);
  const place = await findClusterPlace(options.dataDirectory, chosen);
  const account = await accountOf(place, chosen);
  const logFile = options.logFile ?? path.join(options.dataDirectory, 'logs', 'postgres.log');
  await mkdir(path.dirname(logFile), { recursive: true, mode: 0o700 });
  // The programs are copied only if the package cannot be used in its place.
  const copyDirectory = account === undefined ? path.join(options.dataDirectory, 'bin') : sharedDirectory;
  return { place, account, copyDirectory, logFile, settings: options.settings ?? {} };
}
