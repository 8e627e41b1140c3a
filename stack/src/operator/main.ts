// `npm run operator -- <command>`: what only who has the machine may do.

import { ignoreOutputErrors } from '@renderkit/server-kit/process/output-errors.ts';
import { explainError } from '../explain-error.ts';
import { commands } from './commands.ts';
import { runOperator } from './run-operator.ts';

ignoreOutputErrors();

// Ctrl-C in the middle of a command would leave its database to the supervisor to stop; that is in order.
try {
  const { text, failed } = await runOperator(commands, process.argv.slice(2), process.env);
  if (failed) process.exitCode = 1;
  process.stdout.write(`${text}\n`, (error) => {
    // A reader that has read enough (`| head`) is fine; an answer that a full disk swallowed is a failure.
    if (error === null || error === undefined || ('code' in error && error.code === 'EPIPE')) return;
    process.stderr.write(
      `The command was carried out, but its answer could not be written: ${error.message}.\n`,
    );
    process.exitCode = 1;
  });
} catch (error) {
  process.stderr.write(`${explainError(error)}\n`);
  process.exitCode = 1;
}
if (process.connected) process.disconnect();
