// `npm run operator -- <command>`: actions that only the machine's operator may do.

import { ignoreOutputErrors } from '@renderkit/server-kit/process/output-errors.ts';
import { explainError } from '../explain-error.ts';
import { commands } from './commands.ts';
import { runOperator } from './run-operator.ts';

ignoreOutputErrors();

// After Ctrl-C during a command, the supervisor stops the command's database, which is fine.
try {
  const { text, failed } = await runOperator(commands, process.argv.slice(2), process.env);
  if (failed) process.exitCode = 1;
  process.stdout.write(`${text}\n`, (error) => {
    // A reader that has read enough (`| head`) is fine; an answer lost on a full disk is a failure.
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
