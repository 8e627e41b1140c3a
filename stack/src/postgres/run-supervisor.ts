import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { programFile, startEnvironment } from '@renderkit/server-kit/process/programs.ts';
import { backOffMs, countDeath, isHopeless } from '../restart-policy.ts';
import { StackError } from '../stack-error.ts';
import { environment } from './initialise-cluster.ts';
import type { SupervisorReport, SupervisorTask } from './supervisor-protocol.ts';
import type { ServerAddress } from './orphan.ts';

/** Whether something is available that others need. */
export type Availability = {
  isUp: () => boolean;
  /** Resolves when it is available, at once if it already is. */
  whenUp: () => Promise<void>;
};

export type Supervisor = Availability & {
  address: ServerAddress;
  stop: () => Promise<void>;
};

/** Called for each death of the server or its supervisor, and each time that the server serves (again). */
export type ServerWatcher = { down: (reason: string) => void; up: () => void };

const supervisorFile = fileURLToPath(new URL('postgres-supervisor.ts', import.meta.url));
const stopWithinMs = 45_000;

/**
 * Starts the supervisor process, and restarts it when it dies. Once the server has served, never gives up.
 * @throws StackError when the server does not start at all
 */
export async function runSupervisor(
  task: Omit<SupervisorTask, 'served'>,
  watcher: ServerWatcher,
): Promise<Supervisor> {
  const failed = Promise.withResolvers<StackError>();
  let up = Promise.withResolvers<ServerAddress>();
  let isUp = false;
  let served = false;
  let stopping = false;
  let deaths = 0;
  let child: ChildProcess;

  const down = (reason: string) => {
    if (isUp) up = Promise.withResolvers();
    isUp = false;
    watcher.down(reason);
  };
  const start = () => {
    const started = performance.now();
    let failure: StackError | undefined;
    child = forkSupervisor({ ...task, served });
    child.on('message', (message) => {
      const report = message as SupervisorReport;
      if (report.type === 'failed') failure = new StackError(report.message);
      else if (report.type === 'down') down(report.reason);
      else {
        isUp = true;
        served = true;
        up.resolve(report);
        watcher.up();
      }
    });
    const ended = (how: string) => {
      if (stopping) return;
      const reason = failure?.message ?? `the supervisor of PostgreSQL ended by ${how}`;
      deaths = countDeath(deaths, performance.now() - started);
      // While no server has served, an error that a supervisor reports will also occur in the next one.
      if ((failure !== undefined && !served) || isHopeless({ deaths, served }))
        return failed.resolve(new StackError(reason));
      down(reason);
      // The server may outlive its supervisor; the next supervisor ends that server first.
      setTimeout(() => stopping || start(), backOffMs(deaths));
    };
    child.once('error', (error) => child.pid === undefined && ended(error.message));
    child.once('exit', (code, signal) => ended(signal ?? `exit code ${code}`));
  };

  start();
  const outcome = await Promise.race([up.promise, failed.promise]);
  if (outcome instanceof StackError) throw outcome;
  return {
    address: outcome,
    isUp: () => isUp,
    whenUp: async () => void (await up.promise),
    stop: async () => {
      stopping = true;
      await stopSupervisor(child);
    },
  };
}

function forkSupervisor(task: SupervisorTask): ChildProcess {
  return fork(programFile(supervisorFile), [JSON.stringify(task)], {
    // A separate process group: neither Ctrl-C nor a killed group ends the server abruptly.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
    windowsHide: true,
    env: { ...environment(), ...startEnvironment() },
  });
}

async function stopSupervisor(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  if (child.connected) child.send({ type: 'stop' }, () => undefined);
  const late = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
  await gone;
  clearTimeout(late);
}
