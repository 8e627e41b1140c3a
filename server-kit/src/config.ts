/** A wrong value in the environment: its message is one sentence that names the variable and what it should be. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Readers over one environment; an empty value counts as unset. All throw ConfigError. */
export function readEnvironment(environment: Environment) {
  const get = (name: string): string | undefined => {
    const value = environment[name]?.trim();
    return value === '' ? undefined : value;
  };
  const fail = (name: string, value: string, wanted: string): never => {
    throw new ConfigError(`${name} is ${JSON.stringify(value)}, but it must be ${wanted}.`);
  };
  return {
    text: (name: string): string | undefined => get(name),
    required: (name: string, what: string): string => {
      const value = get(name);
      if (value === undefined) throw new ConfigError(`${name} is not set: it must be ${what}.`);
      return value;
    },
    integer: (name: string, range: { min: number; max: number; default: number }): number => {
      const value = get(name);
      if (value === undefined) return range.default;
      const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
      if (!(number >= range.min && number <= range.max))
        fail(name, value, `a whole number from ${range.min} to ${range.max}`);
      return number;
    },
    choice: <const T extends string>(name: string, choices: readonly T[], otherwise: T): T => {
      const value = get(name);
      if (value === undefined) return otherwise;
      return choices.find((choice) => choice === value) ?? fail(name, value, `one of ${choices.join(', ')}`);
    },
    /** An http or https address without path, query or trailing slash. */
    origin: (name: string): string | undefined => {
      const value = get(name);
      if (value === undefined) return undefined;
      const url = URL.canParse(value) ? new URL(value) : undefined;
      if (
        url === undefined ||
        !/^https?:$/.test(url.protocol) ||
        url.pathname !== '/' ||
        url.search !== '' ||
        url.username !== ''
      )
        fail(name, value, 'an http or https address such as https://media.example.org, without a path');
      return (url as URL).origin;
    },
    list: (name: string): string[] =>
      (get(name) ?? '')
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    databaseUrl: (name: string): string | undefined => {
      const value = get(name);
      if (value !== undefined && !/^postgres(ql)?:\/\//.test(value))
        // The value may hold a password: it is not repeated.
        throw new ConfigError(`${name} must be an address that begins with postgres:// or postgresql://.`);
      return value;
    },
    fail,
  };
}
