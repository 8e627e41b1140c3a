import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { backOffMs, countDeath, isHopeless } from '../restart-policy.ts';
import { StackError } from '../stack-error.ts';
import { environment } from './initialise-cluster.ts';
import type { KeeperReport, KeeperTask } from './keeper-protocol.ts';
import type { ServerAddress } from './orphan.ts';

/** Whether something that others need is there. */
export type Availability = {
  isUp: () => boolean;
  /** Settles once it is there, at once when it is. */
  whenUp: () => Promise<void>;
};

export type Keeper = Availability & {
  address: ServerAddress;
  /** Settles when the server or its keeper was given up. */
  failed: Promise<StackError>;
  stop: () => Promise<void>;
};

const keeperFile = fileURLToPath(new URL('postgres-keeper.ts', import.meta.url));
const stopWithinMs = 45_000;

/**
 * Starts the keeper process, and starts it again when it dies; `onDown` is told of its deaths and of the server's.
 * @throws StackError when the server does not come up
 */
export async function runKeeper(task: KeeperTask, onDown: (reason: string) => void): Promise<Keeper> {
  const failed = Promise.withResolvers<StackError>();
  let up = Promise.withResolvers<ServerAddress>();
  let isUp = false;
  let stopping = false;
  let deaths = 0;
  let child: ChildProcess;

  const down = (reason: string) => {
    if (isUp) up = Promise.withResolvers();
    isUp = false;
    onDown(reason);
  };
  const start = () => {
    const started = performance.now();
    let failure: StackError | undefined;
    child = forkKeeper(task);
    child.on('message', (message) => {
      const report = message as KeeperReport;
      if (report.type === 'failed') failure = new StackError(report.message);
      else if (report.type === 'down') down(report.reason);
      else {
        isUp = true;
        up.resolve(report);
      }
    });
    child.once('exit', (code, signal) => {
      if (stopping) return;
      const reason = `the keeper of PostgreSQL ended by ${signal ?? `exit code ${code}`}`;
      deaths = countDeath(deaths, performance.now() - started);
      if (failure !== undefined || isHopeless(deaths))
        return failed.resolve(failure ?? new StackError(reason));
      down(reason);
      // Its server may live on without it; the next keeper ends that one first.
      setTimeout(() => stopping || start(), backOffMs(deaths));
    });
  };

  start();
  const outcome = await Promise.race([up.promise, failed.promise]);
  if (outcome instanceof StackError) throw outcome;
  return {
    address: outcome,
    failed: failed.promise,
    isUp: () => isUp,
    whenUp: async () => void (await up.promise),
    stop: async () => {
      stopping = true;
      await stopKeeper(child);
    },
  };
}

function forkKeeper(task: KeeperTask): ChildProcess {
  return fork(keeperFile, [JSON.stringify(task)], {
    // Of its own group: neither Ctrl-C nor a killed group ends the server in the middle.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
    windowsHide: true,
    env: { ...environment(), NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
  });
}

async function stopKeeper(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  if (child.connected) child.send({ type: 'stop' }, () => undefined);
  const late = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
  await gone;
  clearTimeout(late);
}
