import { parseArgs } from 'node:util';
import { StackError } from '../stack-error.ts';

/** One option of a command line: how its text is read, and how the help shows it. */
export type Option<Value> = {
  /** The value in the help, e.g. `N` or `on|off`. */
  form: string;
  /** @throws StackError with a sentence that continues after the option's name */
  read: (text: string) => Value;
  required?: true;
  /** The option has no value. */
  flag?: true;
};

type RequiredOption<Value> = Option<Value> & { required: true };

/** The values that a command gets: required options always, others if they were given. */
export type Values<Options extends Record<string, Option<unknown>>> = {
  [Name in keyof Options]: Options[Name] extends RequiredOption<infer Value>
    ? Value
    : Options[Name] extends Option<infer Value>
      ? Value | undefined
      : never;
};

export function required<Value>(option: Option<Value>): RequiredOption<Value> {
  return { ...option, required: true };
}

export function text(form: string): Option<string> {
  return {
    form,
    read: (value) => (value.trim() === '' ? refuse('must not be empty') : value),
  };
}

/** `true` if the option was given. */
export const flag: Option<boolean> = { form: '', flag: true, read: () => true };

export const email: Option<string> = {
  form: 'E',
  read: (value) => (/^[^\s@]{1,64}@[^\s@]{1,190}$/.test(value) ? value : refuse('must be an e-mail address')),
};

export function choice<const Choice extends string>(choices: readonly Choice[]): Option<Choice> {
  return {
    form: choices.join('|'),
    read: (value) => choices.find((one) => one === value) ?? refuse(`must be one of ${choices.join(', ')}`),
  };
}

export const trueOrFalse: Option<boolean> = {
  form: 'true|false',
  read: (value) => choice(['true', 'false']).read(value) === 'true',
};

export function list<const Choice extends string>(choices: readonly Choice[]): Option<Choice[]> {
  return {
    form: 'a,b',
    read: (value) => value.split(',').map((one) => choice(choices).read(one.trim())),
  };
}

export function wholeNumber(range: { min: number; max: number }): Option<number> {
  return {
    form: 'N',
    read: (value) => {
      const number = /^\d{1,12}$/.test(value) ? Number(value) : Number.NaN;
      return number >= range.min && number <= range.max
        ? number
        : refuse(`must be a whole number from ${range.min} to ${range.max}`);
    },
  };
}

/** A time in ISO 8601; UTC if there is no offset. */
export const time: Option<string> = {
  form: 'TIME',
  read: (value) => {
    const [, day, clock = '00:00', offset = 'Z'] =
      /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(value) ?? [];
    const moment = new Date(`${day}T${clock}${offset}`);
    return day === undefined || Number.isNaN(moment.getTime())
      ? refuse('must be a time such as 2026-11-21T08:00Z')
      : moment.toISOString();
  },
};

const secondsOf = { s: 1, m: 60, h: 60 * 60 } as const;

/** A duration such as `30s`, `10m` or `2h`, in seconds. */
export const duration: Option<number> = {
  form: '10m',
  read: (value) => {
    const [, count, unit] = /^(\d{1,6})([smh])$/.exec(value) ?? [];
    return count === undefined
      ? refuse('must be a time such as 30s, 10m or 2h')
      : Number(count) * secondsOf[unit as keyof typeof secondsOf];
  },
};

/** An amount of a provider's money, with at most four decimals. */
export const amount: Option<number> = {
  form: 'N',
  read: (value) =>
    /^\d{1,7}(?:\.\d{1,4})?$/.test(value)
      ? Number(value)
      : refuse('must be an amount with four decimals at most'),
};

export const currency: Option<string> = {
  form: 'USD',
  read: (value) =>
    /^[A-Z]{3}$/.test(value) ? value : refuse('must be a currency of three capital letters, such as USD'),
};

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The name of an environment variable. */
export const variable: Option<string> = {
  form: 'VARIABLE',
  read: (value) => (variableName.test(value) ? value : refuse('must be the name of an environment variable')),
};

/** A header and the variable with its value: other users can see a command line. */
export const headerFromVariable: Option<{ name: string; variable: string }> = {
  form: 'NAME=env:VARIABLE',
  read: (value) => {
    const [, header, source = ''] = /^([^=\s]+)=env:(.+)$/.exec(value) ?? [];
    return header === undefined || !variableName.test(source)
      ? refuse('must be NAME=env:VARIABLE, such as Authorization=env:GPU1_TOKEN')
      : { name: header, variable: source };
  },
};

/** User-defined names, separated by commas; an empty text means none. */
export const names: Option<string[]> = {
  form: 'a,b',
  read: (value) =>
    value
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== ''),
};

/** One or several texts, separated by commas. */
export function several(form: string): Option<string[]> {
  return {
    form,
    read: (value) => {
      const texts = names.read(value);
      return texts.length === 0 ? refuse('must not be empty') : texts;
    },
  };
}

/** Credits with up to three decimals, as 1/1000 credit. */
export const millicredits: Option<number> = {
  form: 'N',
  read: (value) => {
    const [, whole, decimals = ''] = /^(\d{1,9})(?:\.(\d{1,3}))?$/.exec(value) ?? [];
    // Computed from digits: a float would round.
    return whole === undefined
      ? refuse('must be a number of credits, with three decimals at most')
      : Number(whole) * 1000 + Number(decimals.padEnd(3, '0'));
  },
};

const megabyte = 1024 * 1024;
const maxStorageMegabytes = 100_000_000;

/** An account's storage limit: given in MB of 1,048,576 bytes, returned in bytes. `null` for the plan's limit. */
export const storageMegabytes: Option<number | null> = {
  form: 'N|plan',
  read: (value) => {
    if (value === 'plan') return null;
    const megabytes = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    return megabytes <= maxStorageMegabytes
      ? megabytes * megabyte
      : refuse(
          `must be a whole number of MB from 0 to ${maxStorageMegabytes}, or plan for what the plan says`,
        );
  },
};

/** Reads a command's arguments. @throws StackError with one sentence that names the option and the expected value */
export function readValues<Options extends Record<string, Option<unknown>>>(
  command: string,
  options: Options,
  argv: string[],
): Values<Options> {
  const given = parse(command, options, argv);
  const values = Object.entries(options).map(([name, option]) => {
    const value = given[name] === true ? '' : given[name];
    if (typeof value !== 'string') {
      if (option.required) throw new StackError(`${command} needs --${name} ${option.form}: see --help.`);
      return [name, undefined];
    }
    try {
      return [name, option.read(value)];
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new StackError(`--${name} is ${JSON.stringify(value)}, but it ${error.message}.`, {
        cause: error,
      });
    }
  });
  // The loop above gave every name the value that its option read.
  return Object.fromEntries(values) as Values<Options>;
}

function parse(
  command: string,
  options: Record<string, Option<unknown>>,
  argv: string[],
): Record<string, unknown> {
  try {
    return parseArgs({
      args: argv,
      options: Object.fromEntries(
        Object.entries(options).map(([name, option]) => [
          name,
          { type: option.flag ? ('boolean' as const) : ('string' as const) },
        ]),
      ),
    }).values;
  } catch (error) {
    const [sentence] = error instanceof Error ? error.message.split(/[.\n]/) : [String(error)];
    throw new StackError(`${command}: ${sentence}; see --help.`, { cause: error });
  }
}

class Refusal extends Error {}

function refuse(what: string): never {
  throw new Refusal(what);
}
