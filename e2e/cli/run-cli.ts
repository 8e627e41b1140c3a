import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { inheritedEnvironment } from '@renderkit/server-kit/testing/part.ts';

/** The command line as it is run from the sources. */
export const cliProgram = path.join(import.meta.dirname, '../../clients/cli/src/main.ts');

export type CliRun = { code: number | null; stdout: string; stderr: string };
export type CliOptions = {
  /** The folder that it runs in. */
  cwd: string;
  environment?: Record<string, string>;
  stdin?: string;
  /** Ends it with SIGKILL. */
  kill?: AbortSignal;
};

/** Starts the command line in pipes. */
export function startCli(words: readonly string[], { cwd, environment = {} }: CliOptions) {
  return spawn(process.execPath, ['--conditions=renderkit-source', '--no-warnings', cliProgram, ...words], {
    cwd,
    env: { ...inheritedEnvironment(), XDG_CONFIG_HOME: cwd, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** Runs the command line in pipes to its end. */
export async function runCli(words: readonly string[], options: CliOptions): Promise<CliRun> {
  const child = startCli(words, options);
  options.kill?.addEventListener('abort', () => child.kill('SIGKILL'));
  child.stdin.on('error', () => undefined).end(options.stdin ?? '');
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}
