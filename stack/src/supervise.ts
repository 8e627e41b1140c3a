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
  /** The name on the screen and of the log file. */
  name: string;
  /** The program's file. */
  entry: string;
  /** Node's options for the part. */
  nodeOptions?: readonly string[];
  environment: Environment;
  logDirectory: string;
  /**
   * Milliseconds for stopping, after which the part is killed. Default 15,000. Each part has a shorter limit in its own
   * `main.ts` or `worker.ts`.
   */
  stopWithinMs?: number;
  /** What the part needs to start. The supervisor waits for it, and a death while it is unavailable does not count. */
  needs?: Availability;
  /** Called at each death that is followed by a restart. */
  onDeath?: (reason: string) => void;
  /** Called each time that the part serves. */
  onReady?: () => void;
};

export type SupervisedPart = AsyncDisposable & {
  /** Resolves when the part first reports that it serves; rejects when the supervisor gave up before. */
  ready: Promise<void>;
  /**
   * Resolves when the supervisor gives up before the part ever served, with the reason and the last lines of the log.
   */
  failed: Promise<StackError>;
  /** The id of the part's current process, if there is one. */
  pid: () => number | undefined;
};

const linesTold = 15;
const defaultStopMs = 15_000;

/**
 * Runs a part as a child process in a separate group and restarts it with back-off whenever it dies. If the part never
 * served, gives up after five deaths in a row, each within 10 s of its start. If it has served, never gives up.
 * Disposing stops the part in order.
 */
export function supervise(definition: PartDefinition): SupervisedPart {
  const log = openLogFile(path.join(definition.logDirectory, `${definition.name}.log`));
  const ready = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<StackError>();
  // Readiness may be refused when nobody waits for it any more.
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
    // A separate group: Ctrl-C reaches only the stack, which then stops its parts in order.
    detached: process.platform !== 'win32',
    execArgv: [...(definition.nodeOptions ?? [])],
    env: { ...definition.environment },
    stdio: ['ignore', log, log, 'ipc'],
  });
}

/**
 * Waits until the child has ended, then kills the processes that it started. Returns how the child ended: `exit code
 * 1`, `SIGKILL`.
 */
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
    // The child started no processes, or all have ended.
  }
}

function isReady(message: unknown): message is ReadyMessage {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'ready';
}
