import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** One part of the product, running as it does in earnest: by its own entry, in a process of its own. */
export type Part = AsyncDisposable & { pid: number };

export type PartOptions = {
  name: string;
  /** From the root of the tree. */
  entry: string;
  environment: Record<string, string>;
  logDirectory: string;
  /** Where a CPU profile is left when it stops. */
  profileDirectory?: string | undefined;
};

const root = path.resolve(import.meta.dirname, '..');
const readyWithinMs = 30_000;
const stopWithinMs = 15_000;

export async function startPart(options: PartOptions): Promise<Part> {
  await mkdir(options.logDirectory, { recursive: true });
  const logFile = path.join(options.logDirectory, `${options.name}.log`);
  const log = createWriteStream(logFile, { flags: 'a' });
  const child = fork(path.join(root, options.entry), [], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv:
      options.profileDirectory === undefined
        ? []
        : ['--cpu-prof', `--cpu-prof-dir=${path.join(options.profileDirectory, options.name)}`],
    env: {
      ...options.environment,
      PATH: process.env['PATH'],
      // As the launcher has it: without, each start compiles everything anew and holds the compiler in memory.
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    },
  });
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
  child.once('exit', () => log.end());
  await ready();
  return {
    pid: child.pid as number,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const late = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
      child.kill('SIGTERM');
      await once(child, 'exit');
      clearTimeout(late);
    },
  };

  function ready(): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        child.kill('SIGKILL');
        reject(new Error(`${options.name} was not ready within ${readyWithinMs} ms`));
      }, readyWithinMs);
      child.on('message', (message) => {
        if ((message as { type?: string } | null)?.type !== 'ready') return;
        clearTimeout(late);
        resolve();
      });
      child.once('exit', (code, signal) => {
        clearTimeout(late);
        void readFile(logFile, 'utf8')
          .catch(() => '')
          .then((text) =>
            reject(new Error(`${options.name} ended by ${signal ?? code}:\n${text.slice(-2_000)}`)),
          );
      });
    });
  }
}
