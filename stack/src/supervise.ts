import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '@renderkit/server-kit/process/config.ts';
import type { ReadyMessage, StopMessage } from '@renderkit/server-kit/process/lifecycle.ts';
import { programFile } from '@renderkit/server-kit/process/programs.ts';
import { openLogFile } from './log-file.ts';
import type { Availability } from './postgres/run-supervisor.ts';
import { backOffMs, countDeath, isHopeless } from './restart-policy.ts';
import { StackError } from './stack-error.ts';

export type PartDefinition = {
  /** What the screen and the log file call it. */
  name: string;
  /** The program's file. */
  entry: string;
  /** What Node is started with. */
  nodeOptions?: readonly string[];
  environment: Environment;
  logDirectory: string;
  /** Milliseconds it may take to stop before it is killed. Default 15,000. */
  stopWithinMs?: number;
  /** What it cannot start without: it is waited for, and a death while it is away is not the part's fault. */
  needs?: Availability;
  /** Told at each death that another start follows. */
  onDeath?: (reason: string) => void;
  /** Told each time that it serves. */
  onReady?: () => void;
};

export type SupervisedPart = AsyncDisposable & {
  /** Settles when the part first says that it serves; rejects when it was given up before. */
  ready: Promise<void>;
  /** Settles, with the reason and the last lines of the log, when the part is given up before it ever served. */
  failed: Promise<StackError>;
  /** The process that runs it now, if one does. */
  pid: () => number | undefined;
};

const linesTold = 15;
const defaultStopMs = 15_000;

/**
 * Runs a part as a child process in a group of its own and starts it again with back-off whenever it dies. One that
 * never served is given up after five deaths in a row, each within 10 s of its start; one that did never is. Disposing
 * stops it in order.
 */
export function supervise(definition: PartDefinition): SupervisedPart {
  const log = openLogFile(path.join(definition.logDirectory, `${definition.name}.log`));
  const ready = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<StackError>();
  // Nobody may be waiting for readiness any more when it is refused.
  ready.promise.catch(() => undefined);
  const stopping = new AbortController();
  const aborted = once(stopping.signal, 'abort');
  let child: ChildProcess | undefined;
  let served = false;
  const life = live();

  async function live(): Promise<void> {
    for (let deaths = 0; ;) {
      await Promise.race([definition.needs?.whenUp(), aborted]);
      if (stopping.signal.aborted) return;
      const started = performance.now();
      child = startChild(definition, log.descriptor);
      child.on('message', (message) => {
        if (!isReady(message)) return;
        served = true;
        ready.resolve();
        definition.onReady?.();
      });
      const reason = `${definition.name} ended by ${await endOf(child)}`;
      if (stopping.signal.aborted) return;
      if (definition.needs?.isUp() !== false) deaths = countDeath(deaths, performance.now() - started);
      if (isHopeless({ deaths, served })) {
        const told = [
          `${reason}, ${deaths} times in a row. The last lines of ${log.file}:`,
          ...log.lastLines(linesTold),
        ];
        const error = new StackError(told.join('\n'));
        ready.reject(error);
        return failed.resolve(error);
      }
      definition.onDeath?.(reason);
      await sleep(backOffMs(deaths), undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  return {
    ready: ready.promise,
    failed: failed.promise,
    pid: () => (child?.exitCode === null && child.signalCode === null ? child.pid : undefined),
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      if (child !== undefined) await stopChild(child, definition.stopWithinMs ?? defaultStopMs);
      await life;
      log[Symbol.dispose]();
    },
  };
}

function startChild(definition: PartDefinition, log: number): ChildProcess {
  return fork(programFile(definition.entry), [], {
    // Of its own group: Ctrl-C reaches the stack alone, which then stops its parts in order.
    detached: process.platform !== 'win32',
    execArgv: [...(definition.nodeOptions ?? [])],
    env: { ...definition.environment },
    stdio: ['ignore', log, log, 'ipc'],
  });
}

/** Settles once the child has ended, with how: `exit code 1`, `SIGKILL`. What it had started ends with it. */
async function endOf(child: ChildProcess): Promise<string> {
  const how = await new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  killGroup(child);
  return how;
}

async function stopChild(child: ChildProcess, withinMs: number): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  if (child.connected) child.send({ type: 'stop' } satisfies StopMessage, () => undefined);
  else child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), withinMs);
  await gone;
  clearTimeout(late);
}

function killGroup(child: ChildProcess): void {
  if (process.platform === 'win32' || child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // it had started nothing, or all of it has ended
  }
}

function isReady(message: unknown): message is ReadyMessage {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'ready';
}
