import type { Command } from './command.ts';
import { globalOptions, type Option } from './options.ts';
import { commands } from './commands.ts';
import { table } from './table.ts';

/** Returns the help text with all commands, one per line. */
export function mainHelp(): string {
  return [
    'renderkit: pictures and videos from the command line',
    '',
    'Usage: renderkit COMMAND [words] [options]',
    '',
    ...listed(Object.keys(commands)),
    '',
    '`renderkit COMMAND --help` tells the rest. Results are on stdout, as JSON where no terminal reads them; all else is on stderr.',
    'Exit codes: 0 done, 2 wrong use, 3 failed, 4 not allowed, 5 credits, 6 moderation, 7 still running, 8 busy, 9 unreachable.',
  ].join('\n');
}

/** Returns the help text with the commands that begin with a word. */
export function groupHelp(group: string): string {
  const names = Object.keys(commands).filter((name) => name.startsWith(`${group} `));
  return [`Usage: renderkit ${group} …`, '', ...listed(names)].join('\n');
}

/** Returns the help text of one command. */
export function commandHelp(name: string, command: Command): string {
  return [
    `renderkit ${name} ${command.usage}`.trimEnd(),
    '',
    command.about,
    ...(Object.keys(command.options).length > 0 ? ['', 'Options:', ...optionLines(command.options)] : []),
    '',
    'With every command:',
    ...optionLines(globalOptions),
  ].join('\n');
}

function listed(names: readonly string[]): string[] {
  return table(names.map((name) => [`  ${name}`, commands[name]?.about ?? '']));
}

function optionLines(options: Record<string, Option>): string[] {
  return table(
    Object.entries(options).map(([name, { short, form, about, choices }]) => [
      `  ${short === undefined ? '   ' : `-${short},`} --${name}${form === undefined ? '' : ` ${form}`}`,
      choices === undefined ? about : `${about}: ${choices.join(', ')}`,
    ]),
  );
}
