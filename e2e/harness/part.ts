import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import path from 'node:path';

export type Part = AsyncDisposable & {
  name: string;
  /** Ends it as a crash would and resolves once it is gone. */
  kill: (signal?: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT') => Promise<void>;
  /** Starts it (again) and resolves once it serves. */
  start: () => Promise<void>;
  readonly running: boolean;
  readonly pid: number | undefined;
};

export type PartOptions = {
  name: string;
  entry: string;
  environment: Record<string, string>;
  /** Where its log goes, over all its lives. */
  logDirectory: string;
  arguments?: string[];
};

const readyWithinMs = 30_000;
/** Pieces of its log that are told when it dies before it serves. */
const lastWordsKept = 3;

/** One process of the platform, killed and started at will. Not started yet. */
export function createPart(options: PartOptions): Part {
  let child: ChildProcess | undefined;
  mkdirSync(options.logDirectory, { recursive: true });

  const start = async () => {
    const log = createWriteStream(path.join(options.logDirectory, `${options.name}.log`), { flags: 'a' });
    const mine = fork(options.entry, options.arguments ?? [], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      execArgv: [],
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        ...options.environment,
      },
    });
    child = mine;
    mine.stdout?.pipe(log, { end: false });
    mine.stderr?.pipe(log, { end: false });
    const lastWords: string[] = [];
    for (const stream of [mine.stdout, mine.stderr])
      stream?.on('data', (chunk: Buffer) => {
        lastWords.push(chunk.toString());
        if (lastWords.length > lastWordsKept) lastWords.shift();
      });
    mine.once('exit', () => log.end());
    const ready = new Promise<void>((resolve, reject) => {
      mine.on('message', (message) => {
        if ((message as { type?: string }).type === 'ready') resolve();
      });
      // `close` and not `exit`: by then its last words have been read.
      mine.once('close', (code, signal) =>
        reject(
          new Error(`${options.name} ended by ${signal ?? code} before it was ready: ${lastWords.join('')}`),
        ),
      );
    });
    const late = setTimeout(() => mine.kill('SIGKILL'), readyWithinMs);
    await ready.finally(() => clearTimeout(late));
  };

  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    const mine = child;
    if (mine === undefined || mine.exitCode !== null || mine.signalCode !== null) return;
    mine.kill(signal);
    if (signal === 'SIGKILL' || signal === 'SIGTERM') await once(mine, 'exit');
  };

  return {
    name: options.name,
    start,
    kill,
    get running() {
      return child !== undefined && child.exitCode === null && child.signalCode === null;
    },
    get pid() {
      return child?.pid;
    },
    [Symbol.asyncDispose]: async () => {
      const stuck = setTimeout(() => child?.kill('SIGKILL'), 15_000);
      await kill('SIGTERM');
      clearTimeout(stuck);
    },
  };
}
