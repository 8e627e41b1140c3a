// `npm run operator -- <command>`: what only who has the machine may do.

import { tellError } from '../tell-error.ts';
import { commands } from './commands.ts';
import { runOperator } from './run-operator.ts';

// Ctrl-C in the middle of a command would leave its database to the keeper to stop; that is in order.
try {
  const { text, failed } = await runOperator(commands, process.argv.slice(2), process.env);
  process.stdout.write(`${text}\n`);
  if (failed) process.exitCode = 1;
} catch (error) {
  process.stderr.write(`${tellError(error)}\n`);
  process.exitCode = 1;
}
if (process.connected) process.disconnect();
