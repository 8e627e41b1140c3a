// Runs PostgreSQL while the channel to its parent is open. A separate process in a separate group, so that neither
// Ctrl-C nor the death of the stack kills the server: the supervisor sees the channel close and shuts the server down
// in order.

import { once } from 'node:events';
import { chown } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { takeLock } from '@renderkit/server-kit/files/file-lock.ts';
import { ignoreOutputErrors } from '@renderkit/server-kit/process/output-errors.ts';
import { openLogFile } from '../log-file.ts';
import { backOffMs, countDeath, isHopeless } from '../restart-policy.ts';
import { findPostgresBinaries } from './binaries.ts';
import { initialiseCluster } from './initialise-cluster.ts';
import type { SupervisorReport, SupervisorTask } from './supervisor-protocol.ts';
import { clearOrphan, recordedAddress, type ServerAddress } from './orphan.ts';
import { startServerByPgCtl } from './pg-ctl-server.ts';
import { socketDirectory } from './place.ts';
import { type ServerOptions, startServerProcess } from './server-process.ts';
import { serverSettings } from './settings.ts';

const unixPort = 5432;
/** A supervisor that lost its parent may still be shutting down its server. */
const lockPatienceMs = 60_000;

ignoreOutputErrors();

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
  await keep(JSON.parse(process.argv[2] ?? '') as SupervisorTask);
} catch (error) {
  await report({ type: 'failed', message: (error as Error).message });
  process.exitCode = 1;
}
if (process.connected) process.disconnect();

async function keep(task: SupervisorTask): Promise<void> {
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
  // The port stays the same, so that clients can reconnect after a restart.
  const address = {
    host: directory ?? '127.0.0.1',
    port:
      directory === undefined ? ((await recordedAddress(task.place))?.port ?? (await freePort())) : unixPort,
  };
  const settings = {
    ...serverSettings({ socketDirectory: directory, port: address.port }),
    ...task.settings,
  };
  let deaths = 0;
  let { served } = task;
  while (!stopping.signal.aborted) {
    const started = performance.now();
    await clearOrphan(task.place);
    if (stopping.signal.aborted) return;
    const { reason, wasReady } = await runServer({ task, binaries, settings, log }, address);
    served ||= wasReady;
    if (stopping.signal.aborted) return;
    deaths = countDeath(deaths, performance.now() - started);
    log.note(reason);
    if (isHopeless({ deaths, served }))
      throw new Error(
        [`${reason}, again and again; the last lines of its log:`, ...log.lastLines(12)].join('\n'),
      );
    await report({ type: 'down', reason });
    await sleep(backOffMs(deaths), undefined, { signal: stopping.signal }).catch(() => undefined);
  }
}

/** Runs the server until it ends by itself or is stopped. Returns why it ended, and whether it had served. */
async function runServer(
  options: ServerOptions,
  address: ServerAddress,
): Promise<{ reason: string; wasReady: boolean }> {
  const server = process.platform === 'win32' ? startServerByPgCtl(options) : startServerProcess(options);
  stopping.signal.addEventListener('abort', server.stop, { once: true });
  try {
    const wasReady = await server.ready;
    if (wasReady) await report({ type: 'ready', ...address });
    return { reason: `PostgreSQL ended by ${await server.ended}`, wasReady };
  } finally {
    stopping.signal.removeEventListener('abort', server.stop);
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  return port;
}

function report(message: SupervisorReport): Promise<void> {
  // There is no parent left to report to.
  return new Promise((resolve) => (process.connected ? process.send?.(message, () => resolve()) : resolve()));
}
