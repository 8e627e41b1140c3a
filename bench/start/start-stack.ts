import { spawn } from 'node:child_process';
import { once } from 'node:events';

export type Stack = AsyncDisposable & {
  /** From the command until the stack reports that it is ready. */
  seconds: number;
  /** Returns what it has printed. */
  said: () => string;
};

const readyWithinMs = 300_000;
const linesOfAFailure = 20;

/** Runs `npm start` in a clone, as at a terminal, until it is ready. Disposing ends it as Ctrl-C does. */
export async function startStack(directory: string, environment: Record<string, string>): Promise<Stack> {
  let said = '';
  const begun = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: directory,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A terminal sends the signal to the whole process group.
    detached: true,
  });
  const ended = once(child, 'exit');
  const interrupt = () => child.pid !== undefined && process.kill(-child.pid, 'SIGINT');
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        if (said.includes('Ready after')) resolve();
      });
    const tell = () => reject(new Error(`npm start: ${said.split('\n').slice(-linesOfAFailure).join('\n')}`));
    void ended.then(tell);
    setTimeout(tell, readyWithinMs).unref();
  });
  try {
    await ready;
  } catch (error) {
    if (child.exitCode === null) interrupt();
    throw error;
  }
  const seconds = (performance.now() - begun) / 1_000;
  return {
    seconds,
    said: () => said,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null) interrupt();
      await ended;
    },
  };
}
