import { readFile, realpath, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClusterPlace, recordedSocketDirectory } from './place.ts';
import { identifyServer } from './store.ts';

const patienceMs = 60_000;
const pollMs = 50;
const connectLimitMs = 2_000;

/**
 * Ends a server that outlived its supervisor on this cluster, and removes what a dead server left. Connects to find out
 * whether one runs; process numbers are unreliable, because they are used again. The caller must hold the cluster's
 * lock.
 */
export async function clearOrphan(place: ClusterPlace): Promise<void> {
  const deadline = performance.now() + patienceMs;
  let asked = false;
  while (performance.now() < deadline) {
    const address = await recordedAddress(place);
    if (address === undefined || !(await listens(address))) {
      // A remaining pid file belongs to a killed server, and another process may have its number by now.
      await rm(pidFile(place), { force: true });
      return;
    }
    if (!asked) asked = await stopIfOurs(place, address);
    await sleep(pollMs);
  }
  throw new Error(
    `a PostgreSQL server on ${place.dataDirectory} does not stop: end it by hand and start again`,
  );
}

export type ServerAddress = { host: string; port: number };

/** Returns the address that a server of this cluster wrote down, whether or not the server still runs. */
export async function recordedAddress(place: ClusterPlace): Promise<ServerAddress | undefined> {
  const port = Number((await pidFileLines(place))[3]);
  if (!(port > 0)) return undefined;
  if (process.platform === 'win32') return { host: '127.0.0.1', port };
  const host = await recordedSocketDirectory(place);
  return host === undefined ? undefined : { host, port };
}

/** Asks the server for a fast shutdown after checking, by password and answer, that it serves this directory. */
async function stopIfOurs(place: ClusterPlace, address: ServerAddress): Promise<boolean> {
  const password = await readFile(place.passwordFile, 'utf8');
  const server = await identifyServer({ ...address, password });
  if (server === undefined) return false;
  const [pid, , startedAt] = await pidFileLines(place);
  const same =
    (await realpath(server.dataDirectory)) === (await realpath(place.dataDirectory)) &&
    // The file and the answer give the start time of the same server, at most a second apart.
    Math.abs(Number(startedAt) - server.startedAt) <= 1;
  if (!same) throw new Error(`another PostgreSQL server answers at ${address.host}: stop it and start again`);
  process.kill(Number(pid), 'SIGINT');
  return true;
}

function listens({ host, port }: ServerAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    socket.setTimeout(connectLimitMs, () => socket.destroy());
    socket.once('connect', () => {
      resolve(true);
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}

async function pidFileLines(place: ClusterPlace): Promise<string[]> {
  return (await readFile(pidFile(place), 'utf8').catch(() => '')).split('\n');
}

function pidFile(place: ClusterPlace): string {
  return path.join(place.dataDirectory, 'postmaster.pid');
}
