import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { programFile } from '@renderkit/server-kit/process/programs.ts';
import { inheritedEnvironment } from '@renderkit/server-kit/testing/part.ts';

/**
 * The command line for these tests. It is compiled like the other programs, since tests start it some two hundred
 * times.
 */
export const cliProgram = programFile(path.join(import.meta.dirname, '../../clients/cli/src/main.ts'));

/** Node's options before the program's name. */
export const cliFlags = ['--conditions=renderkit-source', '--no-warnings'];

export type CliRun = { code: number | null; stdout: string; stderr: string };
export type CliOptions = {
  /** The working directory. */
  cwd: string;
  environment?: Record<string, string>;
  stdin?: string;
  /** Kills the process with SIGKILL. */
  kill?: AbortSignal;
};

/** Variables by which the command line would detect that an agent runs it, as an agent may run these tests. */
export const agentVariables = [
  'CLAUDECODE',
  'CODEX_SANDBOX',
  'CURSOR_AGENT',
  'GEMINI_CLI',
  'OPENCODE',
  'AI_AGENT',
];

/** Returns the environment of a command, without variables of an agent or a desktop. */
export function cliEnvironment(cwd: string, own: Record<string, string>): Record<string, string | undefined> {
  const inherited: Record<string, string | undefined> = { ...inheritedEnvironment() };
  for (const name of agentVariables) delete inherited[name];
  return { ...inherited, HOME: cwd, XDG_CONFIG_HOME: cwd, BROWSER: 'true', ...own };
}

/** Starts the command line with pipes. */
export function startCli(words: readonly string[], { cwd, environment = {} }: CliOptions) {
  return spawn(process.execPath, [...cliFlags, cliProgram, ...words], {
    cwd,
    env: cliEnvironment(cwd, environment),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** Runs the command line with pipes to its end. */
export async function runCli(words: readonly string[], options: CliOptions): Promise<CliRun> {
  const child = startCli(words, options);
  options.kill?.addEventListener('abort', () => child.kill('SIGKILL'));
  child.stdin.on('error', () => undefined).end(options.stdin ?? '');
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}

/** Splits a line into the words of a command. Words in quotes stay together. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

/** Returns the error that a failed command wrote to stderr. */
export function errorOf({ stderr }: CliRun): { code: string; message: string; suggestion?: string } {
  const last = stderr.trim().split('\n').at(-1) ?? '';
  return (JSON.parse(last) as { error: { code: string; message: string; suggestion?: string } }).error;
}

export type MockServer = AsyncDisposable & {
  /** The mock's address and key as variables for commands. */
  environment: Record<string, string>;
};

/** Starts `renderkit serve-mock` on a free port. */
export async function startMock(cwd: string, scenario?: string): Promise<MockServer> {
  const more = scenario === undefined ? [] : ['--scenario', scenario];
  const child = startCli(['serve-mock', '--port', '0', ...more], { cwd });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    environment: JSON.parse(String(line)) as Record<string, string>,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'close');
      child.kill('SIGINT');
      await ended;
    },
  };
}
