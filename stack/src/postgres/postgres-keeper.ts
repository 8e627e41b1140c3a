// Runs PostgreSQL for as long as the channel to its parent is open. A process and a group of its own, so that
// neither Ctrl-C nor the death of the stack ends the server in the middle: the keeper sees the channel close and
// shuts it down in order.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { chown, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { takeLock } from '../data-directory-lock.ts';
import { backOffMs, countDeath, isHopeless } from '../restart-policy.ts';
import { type LogFile, openLogFile } from '../log-file.ts';
import { findPostgresBinaries, type PostgresBinaries } from './binaries.ts';
import { environment, initialiseCluster } from './initialise-cluster.ts';
import type { KeeperReport, KeeperTask } from './keeper-protocol.ts';
import { clearOrphan } from './orphan.ts';
import { socketDirectory } from './place.ts';
import { serverArguments } from './settings.ts';

const unixPort = 5432;
/** A keeper that lost its parent may still be shutting its server down. */
const lockPatienceMs = 60_000;
const fastShutdownMs = 30_000;
const immediateShutdownMs = 5_000;
const startLimitMs = 120_000;
const pollMs = 15;

const stopping = new AbortController();
const stop = () => stopping.abort();
process.once('disconnect', stop);
process.on('SIGTERM', stop);
process.on('SIGINT', () => undefined);
process.on('SIGHUP', () => undefined);
process.on('message', (message) => {
  if ((message as { type?: string } | null)?.type === 'stop') stop();
});

try {
  await keep(JSON.parse(process.argv[2] ?? '') as KeeperTask);
} catch (error) {
  await report({ type: 'failed', message: (error as Error).message });
  process.exitCode = 1;
}
if (process.connected) process.disconnect();

async function keep(task: KeeperTask): Promise<void> {
  using lock = await takeLock(task.place.lockFile, { waitMs: lockPatienceMs });
  if (lock === undefined)
    throw new Error(`another process runs the database in ${task.place.root}: stop it first`);
  if (stopping.signal.aborted) return;
  using log = openLogFile(task.logFile);
  const binaries = await findPostgresBinaries(task);
  await initialiseCluster({ ...task, binaries });
  const directory = process.platform === 'win32' ? undefined : await socketDirectory(task.place);
  if (directory !== undefined && task.account !== undefined)
    await chown(directory, task.account.uid, task.account.gid);
  let deaths = 0;
  while (!stopping.signal.aborted) {
    const started = performance.now();
    const port = directory === undefined ? await freePort() : unixPort;
    await clearOrphan(task.place);
    const reason = await runServer({ task, binaries, address: { directory, port }, log });
    if (stopping.signal.aborted) return;
    deaths = countDeath(deaths, performance.now() - started);
    writeSync(log.descriptor, `${reason}\n`);
    if (isHopeless(deaths))
      throw new Error(
        [`${reason}, again and again; the last lines of its log:`, ...log.lastLines(12)].join('\n'),
      );
    await report({ type: 'down', reason });
    await sleep(backOffMs(deaths), undefined, { signal: stopping.signal }).catch(() => undefined);
  }
}

type Server = {
  task: KeeperTask;
  binaries: PostgresBinaries;
  address: { directory: string | undefined; port: number };
  log: LogFile;
};

/** Runs the server until it ends, by itself or because we stop. Answers why it ended. */
async function runServer({ task, binaries, address, log }: Server): Promise<string> {
  const { dataDirectory } = task.place;
  const argv = serverArguments({ dataDirectory, socketDirectory: address.directory, port: address.port });
  const server = spawn(binaries.postgres, argv, {
    ...task.account,
    cwd: task.place.root,
    env: environment(),
    stdio: ['ignore', log.descriptor, log.descriptor],
  });
  const ended = once(server, 'exit');
  const end = () => void shutDown(server, dataDirectory, binaries);
  stopping.signal.addEventListener('abort', end, { once: true });
  try {
    if (await untilReady(server, dataDirectory))
      await report({ type: 'ready', host: address.directory ?? '127.0.0.1', port: address.port });
    const [code, signal] = (await ended) as [number | null, string | null];
    return `PostgreSQL ended by ${signal === null ? `exit code ${code}` : signal}`;
  } finally {
    stopping.signal.removeEventListener('abort', end);
  }
}

/** Waits until the server's own pid file says that it accepts connections; false when it ended before. */
async function untilReady(server: ChildProcess, dataDirectory: string): Promise<boolean> {
  const deadline = performance.now() + startLimitMs;
  while (performance.now() < deadline) {
    if (server.exitCode !== null || server.signalCode !== null || stopping.signal.aborted) return false;
    const lines = (await readFile(path.join(dataDirectory, 'postmaster.pid'), 'utf8').catch(() => '')).split(
      '\n',
    );
    if (Number(lines[0]) === server.pid && lines[7]?.trim() === 'ready') return true;
    await sleep(pollMs);
  }
  server.kill('SIGQUIT');
  return false;
}

/** Fast shutdown; where that takes too long, an immediate one, from which the next start recovers. */
async function shutDown(
  server: ChildProcess,
  dataDirectory: string,
  binaries: PostgresBinaries,
): Promise<void> {
  if (process.platform === 'win32') {
    // There are no signals there: pg_ctl knows the way.
    spawn(binaries.pgCtl, ['stop', '-D', dataDirectory, '-m', 'fast', '-W'], {
      env: environment(),
      stdio: 'ignore',
    });
    return;
  }
  server.kill('SIGINT');
  const harder = [
    setTimeout(() => server.kill('SIGQUIT'), fastShutdownMs),
    setTimeout(() => server.kill('SIGKILL'), fastShutdownMs + immediateShutdownMs),
  ];
  await once(server, 'exit').catch(() => undefined);
  for (const timer of harder) clearTimeout(timer);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  return port;
}

function report(message: KeeperReport): Promise<void> {
  // A parent that is gone needs no report.
  return new Promise((resolve) => (process.connected ? process.send?.(message, () => resolve()) : resolve()));
}
