import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LogFile } from '../log-file.ts';
import type { PostgresBinaries } from './binaries.ts';
import { environment } from './initialise-cluster.ts';
import type { SupervisorTask } from './supervisor-protocol.ts';

export type ServerOptions = {
  task: SupervisorTask;
  binaries: PostgresBinaries;
  settings: Record<string, string>;
  log: LogFile;
};

export type ServerProcess = {
  /** Resolves to true when the server accepts connections, to false when it ended before. */
  ready: Promise<boolean>;
  /** Resolves when the server has ended, to the way it ended. */
  ended: Promise<string>;
  /** Requests a fast shutdown, and forces the end when that takes too long. */
  stop: () => void;
};

const fastShutdownMs = 30_000;
const immediateShutdownMs = 5_000;
const startLimitMs = 120_000;
const pollMs = 15;

/**
 * Starts the server as a child process, so that the kernel reports its end. Settings are passed as arguments, so that
 * nothing in the data directory can weaken them.
 */
export function startServerProcess({ task, binaries, settings, log }: ServerOptions): ServerProcess {
  const argv = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(binaries.postgres, ['-D', task.place.dataDirectory, ...argv], {
    ...task.account,
    cwd: task.place.root,
    env: environment(),
    stdio: ['ignore', log.descriptor, log.descriptor],
  });
  const ended = new Promise<string>((resolve) => {
    server.once('error', (error) => resolve(error.message));
    server.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  return { ready: untilReady(server, task.place.dataDirectory), ended, stop: () => void shutDown(server) };
}

/** Waits until the server's pid file reports that it accepts connections. */
async function untilReady(server: ChildProcess, dataDirectory: string): Promise<boolean> {
  const deadline = performance.now() + startLimitMs;
  while (performance.now() < deadline) {
    if (server.pid === undefined || server.exitCode !== null || server.signalCode !== null) return false;
    const { pid, status } = await readPidFile(dataDirectory);
    if (pid === server.pid && status === 'ready') return true;
    await sleep(pollMs);
  }
  server.kill('SIGQUIT');
  return false;
}

/** Requests a fast shutdown. If that takes too long, requests an immediate one, from which the next start recovers. */
async function shutDown(server: ChildProcess): Promise<void> {
  if (server.pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, 'exit');
  server.kill('SIGINT');
  const harder = [
    setTimeout(() => server.kill('SIGQUIT'), fastShutdownMs),
    setTimeout(() => server.kill('SIGKILL'), fastShutdownMs + immediateShutdownMs),
  ];
  await gone;
  for (const timer of harder) clearTimeout(timer);
}

/** Reads the file that a server writes about itself into its data directory. */
export async function readPidFile(dataDirectory: string): Promise<{ pid: number; status: string }> {
  const text = await readFile(path.join(dataDirectory, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  return { pid: Number(lines[0]), status: lines[7]?.trim() ?? '' };
}
