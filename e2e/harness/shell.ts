import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { inheritedEnvironment } from '@renderkit/server-kit/testing/part.ts';

export type Pasted = { code: number; stdout: string; stderr: string };
export type Shell = AsyncDisposable & {
  /** Pastes lines and waits until they have run. Later lines see the variables of earlier ones. */
  paste: (text: string) => Promise<Pasted>;
};

/**
 * Opens one bash for all pasted lines, in a directory and with its own environment. `enter`: the command that first
 * enters another machine.
 */
export function openShell(
  directory: string,
  environment: Readonly<Record<string, string>>,
  enter: readonly string[] = [],
): Shell {
  const [program, ...line] = [...enter, 'bash', '--noprofile', '--norc'];
  const shell = spawn(program, line, {
    cwd: directory,
    env: { ...inheritedEnvironment(), HOME: directory, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const written = { stdout: '', stderr: '' };
  let onWritten = () => {};
  for (const name of ['stdout', 'stderr'] as const)
    shell[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
      onWritten();
    });
  const ended = once(shell, 'close');
  let pasted = 0;
  return {
    paste: async (text) => {
      const mark = `--pasted-${++pasted}--`;
      written.stdout = '';
      written.stderr = '';
      const done = new Promise<void>((resolve, reject) => {
        onWritten = () => {
          if (written.stdout.includes(`${mark} `) && written.stderr.includes(mark)) resolve();
        };
        void ended.then(() => reject(new Error(`the shell ended: ${written.stderr}`)));
      });
      shell.stdin.write(`${text}\necho "${mark} $?"\necho "${mark}" >&2\n`);
      await done;
      const [stdout = '', code = ''] = written.stdout.split(`${mark} `);
      return { code: Number(code), stdout, stderr: written.stderr.split(mark)[0] ?? '' };
    },
    [Symbol.asyncDispose]: async () => {
      shell.stdin.end();
      await ended;
    },
  };
}
