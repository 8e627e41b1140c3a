// `npm start`: runs everything on one machine, until Ctrl-C.

import { ignoreOutputErrors } from '@renderkit/server-kit/process/output-errors.ts';
import { readStackConfig } from './config.ts';
import { createScreen } from './screen.ts';
import { StackError } from './stack-error.ts';
import { startStack } from './start-stack.ts';
import { explainError } from './explain-error.ts';

ignoreOutputErrors();

const stopping = new AbortController();
const asked = new Promise<void>((resolve) => {
  const stop = () => {
    stopping.abort(new StackError('Stopped before everything had started.'));
    resolve();
  };
  // The listeners stay: a second signal must not end the process while it stops.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  // The launcher was killed: nobody could stop this process later.
  process.on('disconnect', stop);
  process.on('message', stop);
});

await main();
if (process.connected) process.disconnect();

async function main(): Promise<void> {
  const screen = createScreen(process.stdout);
  try {
    const stack = await startStack(readStackConfig(process.env), { screen, signal: stopping.signal });
    await asked;
    screen.line('Stopping…');
    await stack[Symbol.asyncDispose]();
    screen.line('Stopped.');
  } catch (error) {
    process.stderr.write(`${explainError(error)}\n`);
    process.exitCode = 1;
  }
}
