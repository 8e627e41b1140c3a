import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { programFile, startEnvironment } from '../process/programs.ts';

/** One process of the product, for tests and measurements, which may kill and start it at any time. */
export type Part = AsyncDisposable & {
  name: string;
  /** Starts the process (again) and resolves when it serves. */
  start: () => Promise<void>;
  /** Ends the process like a crash and resolves when it is gone. */
  kill: (signal?: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT') => Promise<void>;
  readonly running: boolean;
  /**
   * The current or the last process.
   * @throws when it was never started
   */
  readonly process: ChildProcess;
  readonly pid: number;
  /** The URL that the process reported; empty when it serves nothing. */
  readonly url: string;
  /** Resolves when the current process ends, for any reason. */
  readonly ended: Promise<unknown>;
};

export type PartOptions = {
  name: string;
  /** The file of the program. */
  entry: string;
  arguments?: string[];
  /** Options for Node. */
  nodeOptions?: readonly string[];
  environment: Record<string, string>;
  /** The directory for the log of all its processes. Default: the output of this process. */
  logDirectory?: string;
  /** The directory for a CPU profile, written when the process stops. */
  profileDirectory?: string | undefined;
};

/** Long, because on a busy machine a start alone takes half a minute. */
const readyWithinMs = 90_000;
const stopWithinMs = 15_000;
/** Pieces of output that are shown when the process ends before it serves. */
const lastPiecesKept = 3;

/** Creates a part without starting it. Disposing stops it in order. */
export function createPart(options: PartOptions): Part {
  let life: { child: ChildProcess; ended: Promise<unknown>; url: string } | undefined;
  const present = () => {
    if (life === undefined) throw new Error(`${options.name} was never started`);
    return life;
  };
  const running = () => life !== undefined && life.child.exitCode === null && life.child.signalCode === null;
  const kill: Part['kill'] = async (signal = 'SIGKILL') => {
    if (!running()) return;
    present().child.kill(signal);
    if (signal === 'SIGKILL' || signal === 'SIGTERM') await present().ended;
  };
  return {
    name: options.name,
    start: async () => {
      const child = spawnPart(options);
      life = { child, ended: once(child, 'exit'), url: '' };
      life.url = await untilReady(child, options.name);
    },
    kill,
    get running() {
      return running();
    },
    get process() {
      return present().child;
    },
    get pid() {
      return present().child.pid as number;
    },
    get url() {
      return present().url;
    },
    get ended() {
      return present().ended;
    },
    [Symbol.asyncDispose]: async () => {
      const stuck = setTimeout(() => void kill(), stopWithinMs);
      await kill('SIGTERM');
      clearTimeout(stuck);
    },
  };
}

/**
 * Compiles the programs, so that all programs that this process and its children start run compiled, as after `npm
 * start`. With `tests`, also compiles the programs that tests contain. When compiling fails, the programs run from
 * their sources.
 */
export async function compilePrograms({ tests = false } = {}): Promise<void> {
  const compiler = path.resolve(import.meta.dirname, '../../../stack/compile-programs.mjs');
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, ...(tests ? ['--tests'] : [])]);
    process.env['COMPILED_PROGRAMS'] = stdout;
  } catch (error) {
    process.stderr.write(`The programs were not compiled: ${String(error)}\n`);
  }
}

/** Creates and starts a part. */
export async function startPart(options: PartOptions): Promise<Part> {
  const part = createPart(options);
  await part.start();
  return part;
}

/** Returns the environment variables of this process that our programs need. */
export function inheritedEnvironment(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', ...startEnvironment() };
}

function spawnPart({ name, entry, logDirectory, profileDirectory, ...options }: PartOptions): ChildProcess {
  const output = logDirectory === undefined ? 'inherit' : 'pipe';
  const child = fork(programFile(entry), options.arguments ?? [], {
    stdio: ['ignore', output, output, 'ipc'],
    execArgv: [
      ...(options.nodeOptions ?? []),
      ...(profileDirectory === undefined
        ? []
        : ['--cpu-prof', `--cpu-prof-dir=${path.join(profileDirectory, name)}`]),
    ],
    env: { ...inheritedEnvironment(), ...options.environment },
  });
  if (logDirectory !== undefined) {
    mkdirSync(logDirectory, { recursive: true });
    const log = createWriteStream(path.join(logDirectory, `${name}.log`), { flags: 'a' });
    child.stdout?.pipe(log, { end: false });
    child.stderr?.pipe(log, { end: false });
    child.once('exit', () => log.end());
  }
  return child;
}

/**
 * Resolves with the URL where the process serves.
 * @throws Error with its last output when the process ends before it serves
 */
async function untilReady(child: ChildProcess, name: string): Promise<string> {
  const lastPieces: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      lastPieces.push(chunk.toString());
      if (lastPieces.length > lastPiecesKept) lastPieces.shift();
    });
  const late = setTimeout(() => child.kill('SIGKILL'), readyWithinMs);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  child.on('message', (message) => {
    const { type, url } = message as { type?: string; url?: string };
    if (type === 'ready') resolve(url ?? '');
  });
  // Listens to `close`, not `exit`, because only then its last output has been read.
  child.once('close', (code, signal) =>
    reject(new Error(`${name} ended by ${signal ?? code} before it was ready: ${lastPieces.join('')}`)),
  );
  return promise.finally(() => clearTimeout(late));
}
