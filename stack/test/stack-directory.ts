import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { inheritedEnvironment } from '@renderkit/server-kit/testing/part.ts';
import { readStackConfig } from '../src/config.ts';
import { commands } from '../src/operator/commands.ts';
import { runOperator } from '../src/operator/run-operator.ts';
import type { Screen } from '../src/screen.ts';
import { type Stack, startStack } from '../src/start-stack.ts';

export type StartOptions = {
  environment?: Record<string, string>;
  /** Collects the lines of the screen. */
  said?: string[];
  /** The program of `parts/` for a part: `unsteady` for one that the test can make die. */
  entries?: Partial<Record<'studio' | 'worker' | 'service', string>>;
};

/** A data directory in which stacks are started one after another. Its parts log when they start and stop. */
export type StackDirectory = AsyncDisposable & {
  path: string;
  start: (options?: StartOptions) => Promise<Stack>;
  /** Runs an operator's command on this directory and returns what it would print. */
  operator: (
    line: string,
    environment?: Record<string, string>,
  ) => Promise<{ text: string; failed: boolean }>;
  /** Returns the lines that the parts logged. */
  notes: () => Promise<string[]>;
  /** Returns the ids of the processes that were started for a part, the oldest first. */
  pidsOf: (part: string) => Promise<number[]>;
};

export async function makeStackDirectory(): Promise<StackDirectory> {
  const directory = await mkdtemp(path.join(tmpdir(), 'renderkit-stack-'));
  // If the tests run as root, the database's account must pass through.
  await chmod(directory, 0o711);
  const notes = async () => (await readFile(path.join(directory, 'notes'), 'utf8')).trim().split('\n');
  return {
    path: directory,
    start: (options = {}) => start(directory, options),
    operator: (line, environment = {}) =>
      runOperator(commands, [...line.split(' '), '--json'], {
        ...inheritedEnvironment(),
        DATA_DIR: directory,
        ...environment,
      }),
    notes,
    pidsOf: async (part) =>
      (await notes())
        .filter((line) => line.startsWith(`${part} starts`))
        .map((line) => Number(line.split(' ')[2])),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

function start(directory: string, options: StartOptions): Promise<Stack> {
  const part = (name: string) => fileURLToPath(new URL(`parts/${name}.ts`, import.meta.url));
  const config = readStackConfig({
    ...inheritedEnvironment(),
    DATA_DIR: directory,
    PORT: '0',
    STUDIO_PORT: '0',
    DEMO: 'off',
    ...options.environment,
  });
  return startStack(config, {
    screen: screenInto(options.said ?? []),
    signal: new AbortController().signal,
    entries: {
      studio: part(options.entries?.studio ?? 'studio'),
      worker: part(options.entries?.worker ?? 'worker'),
      service: part(options.entries?.service ?? 'service'),
    },
  });
}

function screenInto(said: string[]): Screen {
  const tell = (text = '') => void said.push(text);
  return { line: tell, heading: tell, problem: tell };
}
