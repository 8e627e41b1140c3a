import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { backOffMs, countDeath, isHopeless } from '../restart-policy.ts';
import { type ClusterConnection, databaseUrl, superuser } from './connection.ts';
import { environment } from './initialise-cluster.ts';
import type { KeeperReport, KeeperTask } from './keeper-protocol.ts';
import { type OsAccount, unprivilegedAccount } from './os-account.ts';
import { recordedAddress } from './orphan.ts';
import { type ClusterPlace, findClusterPlace, sharedDirectory } from './place.ts';
import { ensureDatabases, identifyServer } from './store.ts';

export type ClusterAddresses = {
  /** The address of a database for its own role, which owns it and nothing else. */
  urlFor: (database: string) => string;
  /** The superuser's address of the maintenance database. */
  superuserUrl: string;
  /** PostgreSQL's own files. */
  clusterDirectory: string;
};

export type Postgres = ClusterAddresses &
  AsyncDisposable & {
    /** Settles, with the sentence that says why, when the server is given up; never before. */
    failed: Promise<Error>;
  };

export type PostgresOptions = {
  /** The stack's data directory; it exists and is locked by the caller. */
  dataDirectory: string;
  /** Databases to make if they are missing, each with a role of the same name that owns it. */
  databases: readonly string[];
  /** Default: `logs/postgres.log` in the data directory. */
  logFile?: string;
  /** The account to run under when we are root. Default `nobody`. */
  osUser?: string;
  /** Told when the server or its keeper dies; it is started again by itself. */
  onDown?: (reason: string) => void;
};

const keeperFile = fileURLToPath(new URL('postgres-keeper.ts', import.meta.url));
const stopWithinMs = 45_000;

/** Starts the embedded PostgreSQL (making its cluster first if there is none) and keeps it running until disposed. */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const task = await prepareTask(options);
  const keeper = await startKeeper(task, options.onDown ?? (() => undefined));
  const password = await readFile(task.place.passwordFile, 'utf8');
  const cluster = { ...keeper.address, password };
  try {
    await ensureDatabases(cluster, options.databases);
  } catch (error) {
    await keeper.stop();
    throw error;
  }
  return {
    ...addressesOf(task.place, cluster),
    failed: keeper.failed,
    [Symbol.asyncDispose]: keeper.stop,
  };
}

/** The addresses of a server that another process runs on this data directory; undefined when there is none. */
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

async function prepareTask(options: PostgresOptions): Promise<KeeperTask> {
  const chosen = await unprivilegedAccount(options.osUser);
  const place = await findClusterPlace(options.dataDirectory, chosen);
  const account = chosen && ((await ownerOf(place)) ?? chosen);
  const logFile = options.logFile ?? path.join(options.dataDirectory, 'logs', 'postgres.log');
  await mkdir(path.dirname(logFile), { recursive: true });
  // The copy of the programs is made only where the package cannot be used as it lies.
  const copyDirectory = account === undefined ? path.join(options.dataDirectory, 'bin') : sharedDirectory;
  return { place, account, copyDirectory, logFile };
}

/** A cluster that exists goes on under the account that owns it, say of a person who did not use root before. */
async function ownerOf(place: ClusterPlace): Promise<OsAccount | undefined> {
  const found = await stat(place.dataDirectory).catch(() => undefined);
  return found === undefined || found.uid === 0 ? undefined : { uid: found.uid, gid: found.gid };
}

type Keeper = { address: { host: string; port: number }; failed: Promise<Error>; stop: () => Promise<void> };

async function startKeeper(task: KeeperTask, onDown: (reason: string) => void): Promise<Keeper> {
  const given = Promise.withResolvers<Error>();
  let stopping = false;
  let deaths = 0;
  let child: ChildProcess;
  const start = (): Promise<{ host: string; port: number }> =>
    new Promise((resolve, reject) => {
      const started = performance.now();
      let failure: Error | undefined;
      child = fork(keeperFile, [JSON.stringify(task)], {
        detached: true,
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        execArgv: [],
        env: { ...environment(), NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
      });
      child.on('message', (message) => {
        const report = message as KeeperReport;
        if (report.type === 'ready') resolve(report);
        else if (report.type === 'down') onDown(report.reason);
        else failure = new Error(report.message);
      });
      child.once('exit', (code, signal) => {
        const reason = `the keeper of PostgreSQL ended by ${signal ?? `exit code ${code}`}`;
        reject(failure ?? new Error(reason));
        if (stopping) return;
        deaths = countDeath(deaths, performance.now() - started);
        if (failure !== undefined || isHopeless(deaths)) return given.resolve(failure ?? new Error(reason));
        onDown(reason);
        // Its server may live on without it; the next keeper ends that one first.
        setTimeout(() => {
          if (!stopping) start().catch(() => undefined);
        }, backOffMs(deaths));
      });
    });
  const address = await start();
  return {
    address,
    failed: given.promise,
    stop: async () => {
      stopping = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      if (child.connected) child.send({ type: 'stop' });
      const late = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
      await gone;
      clearTimeout(late);
    },
  };
}
