import { readFile, realpath, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import { superuser } from './initialise-cluster.ts';
import { type ClusterPlace, recordedSocketDirectory } from './place.ts';

const patienceMs = 60_000;
const pollMs = 100;

/**
 * Ends a server that outlived its keeper on this cluster, and removes what a dead one left. Whether one runs is
 * found by connecting, never from a process number: numbers are used again. Call it with the cluster's lock held.
 */
export async function clearOrphan(place: ClusterPlace, port: number): Promise<void> {
  const deadline = performance.now() + patienceMs;
  const pidFile = path.join(place.dataDirectory, 'postmaster.pid');
  let asked = false;
  while (performance.now() < deadline) {
    const address = await serverAddress(place, port);
    if (address === undefined || !(await answers(address))) {
      // Nobody listens: a pid file that is still there is of a killed server, and its number may be anyone's by now.
      await rm(pidFile, { force: true });
      return;
    }
    if (!asked) asked = await stopIfOurs(place, address, pidFile);
    await sleep(pollMs);
  }
  throw new Error(
    `a PostgreSQL server on ${place.dataDirectory} does not stop: end it by hand and start again`,
  );
}

type Address = { host: string; port: number };

async function serverAddress(place: ClusterPlace, port: number): Promise<Address | undefined> {
  if (process.platform === 'win32') {
    const lines = (
      await readFile(path.join(place.dataDirectory, 'postmaster.pid'), 'utf8').catch(() => '')
    ).split('\n');
    return lines[3] === undefined ? undefined : { host: '127.0.0.1', port: Number(lines[3]) };
  }
  const directory = await recordedSocketDirectory(place);
  return directory === undefined ? undefined : { host: directory, port };
}

function answers({ host, port }: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
    socket.once('connect', () => socket.destroy());
    socket.setTimeout(2_000, () => socket.destroy());
  });
}

/** Asks the server to shut down fast, after it proved by password and answer that it serves this very directory. */
async function stopIfOurs(place: ClusterPlace, { host, port }: Address, pidFile: string): Promise<boolean> {
  const password = await readFile(place.passwordFile, 'utf8');
  const client = new Client({
    host,
    port,
    user: superuser,
    password,
    database: 'postgres',
    connectionTimeoutMillis: 5_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ directory: string; started: number }>(
      `select current_setting('data_directory') as directory,
              floor(extract(epoch from pg_postmaster_start_time()))::int as started`,
    );
    const [pid, directory, started] = (await readFile(pidFile, 'utf8')).split('\n');
    const same =
      (await realpath(rows[0]?.directory ?? '')) === (await realpath(place.dataDirectory)) &&
      (await realpath(directory ?? '')) === (await realpath(place.dataDirectory)) &&
      // Both are the server's own word on one moment, a second apart at most.
      Math.abs(Number(started) - (rows[0]?.started ?? 0)) <= 1;
    if (!same) throw new Error(`another PostgreSQL server answers at ${host}: stop it and start again`);
    process.kill(Number(pid), 'SIGINT');
    return true;
  } catch (error) {
    // Starting up, shutting down, out of connections: it will answer or be gone soon.
    if (error instanceof DatabaseError || (error as NodeJS.ErrnoException).code !== undefined) return false;
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}
