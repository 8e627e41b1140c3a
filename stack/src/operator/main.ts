// `npm run operator -- <command>`: what only who has the machine may do.

import { ConfigError } from '@renderkit/server-kit/config.ts';
import { StackError } from '../stack-error.ts';
import { commands } from './commands.ts';
import { runOperator } from './run-operator.ts';

// Ctrl-C in the middle of a command would leave its database to the keeper to stop; that is in order.
try {
  process.stdout.write(`${await runOperator(commands, process.argv.slice(2), process.env)}\n`);
} catch (error) {
  const expected = error instanceof ConfigError || error instanceof StackError;
  process.stderr.write(
    `${expected ? error.message : String(error instanceof Error ? error.stack : error)}\n`,
  );
  process.exitCode = 1;
}
if (process.connected) process.disconnect();
