import { parseArgs } from 'node:util';
import { UsageError } from './cli-error.ts';

/** One option of a command. An option without `form` is a switch. */
export type Option = {
  short?: string;
  /** Placeholder for the value in the help: `N`, `PATH`. */
  form?: string;
  about: string;
  multiple?: boolean;
  choices?: readonly string[];
};

type Value<O extends Option> = O extends { form: string }
  ? O extends { multiple: true }
    ? string[]
    : string
  : boolean;

/** The given values of a command's options. */
export type Values<O extends Record<string, Option>> = { [K in keyof O]?: Value<O[K]> };

/** Options of every command. */
export const globalOptions = {
  json: {
    form: 'FIELDS',
    about: 'JSON on stdout, of these fields alone where some are named (--json=id,status)',
  },
  jq: { form: 'PATH', about: 'a part of the JSON: .id, .outputs[0].url, .data[].name' },
  quiet: { short: 'q', about: 'ids alone' },
  profile: { form: 'NAME', about: 'address and key by this name (RENDERKIT_PROFILE)' },
  'base-url': { form: 'URL', about: 'address of the service (RENDERKIT_BASE_URL)' },
  'no-input': { about: 'ask nothing' },
  color: { form: 'WHEN', about: 'colours', choices: ['auto', 'never'] },
  verbose: { about: 'every request on stderr' },
  help: { short: 'h', about: 'how to use it' },
} as const satisfies Record<string, Option>;

export type GlobalValues = Values<typeof globalOptions>;

/**
 * Parses the arguments of a command: words in order, and options at any position.
 *
 * @throws UsageError for an unknown option, a missing value, or a value that is not a choice.
 */
export function readArguments(
  argv: readonly string[],
  options: Record<string, Option>,
): { words: string[]; values: Record<string, unknown> & GlobalValues } {
  const all: Record<string, Option> = { ...options, ...globalOptions };
  const config = Object.fromEntries(
    Object.entries(all).map(([name, { short, form, multiple }]) => [
      name,
      {
        type: form === undefined ? ('boolean' as const) : ('string' as const),
        ...(short !== undefined && { short }),
        ...(multiple === true && { multiple }),
      },
    ]),
  );
  // The value of --json may be left out, which `parseArgs` does not support.
  const args = argv.map((argument) => (argument === '--json' ? '--json=' : argument));
  try {
    const { values, positionals } = parseArgs({ args, options: config, allowPositionals: true });
    for (const [name, value] of Object.entries(values)) checkChoice(name, value, all[name]?.choices);
    return { words: positionals, values };
  } catch (error) {
    if (error instanceof UsageError || !(error instanceof TypeError)) throw error;
    throw new UsageError(error.message.replace(/\. To specify a positional.*$/s, '.'));
  }
}

function checkChoice(name: string, value: unknown, choices: readonly string[] | undefined): void {
  for (const one of [value].flat())
    if (choices !== undefined && !choices.includes(one as string))
      throw new UsageError(`--${name} is one of ${choices.join(', ')}, not ${JSON.stringify(one)}.`);
}
