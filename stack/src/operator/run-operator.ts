import type { Environment } from '@renderkit/server-kit/process/config.ts';
import { readStackConfig } from '../config.ts';
import { StackError } from '../stack-error.ts';
import type { Answer, Command, CommandGroup } from './command.ts';
import { loadCommands } from './commands.ts';
import { openOperatorDatabases } from './open-databases.ts';

/** Runs one command line. Returns the text to print, and whether the command failed. @throws StackError, ConfigError */
export async function runOperator(
  groups: readonly CommandGroup[],
  argv: string[],
  environment: Environment,
): Promise<{ text: string; failed: boolean }> {
  const json = argv.includes('--json');
  const words = argv.filter((word) => word !== '--json');
  if (words.length === 0 || words.includes('--help') || words.includes('-h'))
    return {
      text: help(
        await loadCommands(groups),
        words.filter((word) => !word.startsWith('-')),
      ),
      failed: false,
    };
  const commands = await loadCommands(groups, words[0] ?? '');
  const command = commands.find(({ words: name }) => `${words.join(' ')} `.startsWith(`${name} `));
  if (command === undefined)
    throw new StackError(
      `There is no command ${JSON.stringify(words.slice(0, 2).join(' '))}: see npm run operator -- --help.`,
    );
  const config = readStackConfig(environment);
  await using owned = new AsyncDisposableStack();
  const open = async () => owned.use(await openOperatorDatabases(config));
  const answer = await command
    .run(
      { config, open, progress: (line) => process.stderr.write(`${line}\n`) },
      words.slice(command.words.split(' ').length),
    )
    // The module of all known refusals is loaded only when one occurs.
    .catch(async (error: unknown) => (await import('./refusals.ts')).answerRefusal(error));
  return { text: print(answer, json), failed: answer.failed ?? false };
}

function print(answer: Answer, json: boolean): string {
  // One line, so that the last line of the output is the whole answer, whatever npm prints before.
  return json ? JSON.stringify(answer.data) : answer.lines.join('\n');
}

function help(commands: Command[], words: string[]): string {
  const asked = commands.filter(({ words: name }) =>
    `${name} `.startsWith(words.length === 0 ? '' : `${words.slice(0, 2).join(' ')} `),
  );
  const shown = asked.length > 0 ? asked : commands;
  return [
    'npm run operator -- <command> [options]',
    '',
    ...shown.flatMap(({ words: name, usage, about }) => [`  ${name} ${usage}`.trimEnd(), `      ${about}`]),
    '',
    'All commands take --json (one line of JSON instead of text) and --help.',
  ].join('\n');
}
