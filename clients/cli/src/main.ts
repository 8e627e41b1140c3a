#!/usr/bin/env node
import type { Command } from './command.ts';
import { type GlobalValues, readArguments } from './options.ts';
import { commands, findCommand } from './commands.ts';
import { readEnvironment } from './config.ts';
import { exitCodes, UsageError } from './cli-error.ts';
import { commandHelp, groupHelp, mainHelp } from './help.ts';
import { version } from './version.ts';

// A closed reader, such as `head`, is not a failure.
process.stdout.on('error', (error: Error & { code?: string }) => {
  process.exitCode = error.code === 'EPIPE' ? exitCodes.done : exitCodes.other;
  process.exit();
});

const argv = process.argv.slice(2);
try {
  await main(argv);
} catch (error) {
  await fail(error, valuesOf(argv));
}

async function main(args: readonly string[]): Promise<void> {
  if (args[0] === '--version') return print(version);
  const words = args[0] === 'help' ? args.slice(1) : args;
  const found = findCommand(words);
  if (found === undefined) {
    const [name] = words.filter((word) => !word.startsWith('-'));
    if (name === undefined) return print(mainHelp());
    const group = Object.keys(commands).filter((key) => key.startsWith(`${name} `));
    if (group.length === 0)
      throw new UsageError(`There is no command ${JSON.stringify(name)}.`, '`renderkit --help` lists them.');
    return print(groupHelp(name));
  }
  const command: Command = await found.load();
  if (args[0] === 'help') return print(commandHelp(found.name, command));
  const { words: positionals, values } = readArguments(found.rest, command.options);
  if (values.help === true) return print(commandHelp(found.name, command));
  // Only commands load the client, so that help starts fast.
  const { Session } = await import('./session.ts');
  await command.run(new Session(readEnvironment(), values), positionals, values);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function fail(reason: unknown, values: GlobalValues): Promise<void> {
  const [{ failureOf }, { Session }] = await Promise.all([import('./failure.ts'), import('./session.ts')]);
  const failure = failureOf(reason);
  if (failure === undefined) throw reason;
  new Session(readEnvironment(), values).output.failure(failure);
  process.exitCode = failure.exitCode;
}

/** Returns the output options from raw arguments, to report a failure to parse them. */
function valuesOf(args: readonly string[]): GlobalValues {
  const json = args.some((argument) => /^--(json|jq)\b/.test(argument));
  const quiet = args.includes('-q') || args.includes('--quiet');
  return { ...(json && { json: '' }), ...(quiet && { quiet }) };
}
