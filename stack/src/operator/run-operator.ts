import type { Environment } from '@renderkit/server-kit/process/config.ts';
import { ApiProblem } from '@renderkit/service/problems/api-problem.ts';
import { ModelRefused } from '@renderkit/studio/administration/models.ts';
import { BackendError } from '@renderkit/studio/backends/backend.ts';
import { OperatorError } from '@renderkit/studio/operator.ts';
import { readStackConfig } from '../config.ts';
import { StackError } from '../stack-error.ts';
import { type Answer, type Command, problemLine } from './command.ts';
import { openOperatorDatabases } from './open-databases.ts';

/** Runs one command line and answers what to print, and whether all is well. @throws StackError, ConfigError */
export async function runOperator(
  commands: Command[],
  argv: string[],
  environment: Environment,
): Promise<{ text: string; failed: boolean }> {
  const json = argv.includes('--json');
  const words = argv.filter((word) => word !== '--json');
  if (words.length === 0 || words.includes('--help') || words.includes('-h'))
    return {
      text: help(
        commands,
        words.filter((word) => !word.startsWith('-')),
      ),
      failed: false,
    };
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
    .catch((error: unknown) => {
      if (error instanceof ModelRefused) return refusalAnswer(error);
      // What the parts refuse is for the person at the terminal.
      if ([OperatorError, BackendError, ApiProblem].some((kind) => error instanceof kind))
        throw new StackError((error as Error).message, { cause: error });
      throw error;
    });
  return { text: print(answer, json), failed: answer.failed ?? false };
}

/** What is wrong with a model, one line for each thing. */
function refusalAnswer({ problems }: ModelRefused): Answer {
  return { data: { problems }, lines: problems.map(problemLine), failed: true };
}

function print(answer: Answer, json: boolean): string {
  // One line, so that the last line of the output is all of it, whatever npm prints before.
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
