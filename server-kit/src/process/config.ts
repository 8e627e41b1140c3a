import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';

/** A wrong value in the environment. The message is one sentence that names the variable and the expected value. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Secrets, and addresses that contain one. The variable `NAME_FILE` may name a file that contains the value. */
const secretNames = new Set([
  'DATABASE_URL',
  'STUDIO_DATABASE_URL',
  'SECRET_KEY',
  'STUDIO_CLIENT_SECRET',
  'METRICS_TOKEN',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
]);

/**
 * Returns functions that read one environment. An empty value counts as unset. All throw ConfigError.
 * `service/src/config.ts`, `studio/src/config.ts` and `stack/src/config.ts` decide which variables there are.
 */
export function readEnvironment(environment: Environment) {
  const given = (name: string): string | undefined => {
    const value = environment[name]?.trim();
    return value === '' ? undefined : value;
  };
  const get = (name: string): string | undefined =>
    given(name) ??
    (secretNames.has(name) ? readSecretFile(`${name}_FILE`, given(`${name}_FILE`)) : undefined);
  const fail = (name: string, value: string, wanted: string): never => {
    throw new ConfigError(`${name} is ${JSON.stringify(value)}, but it must be ${wanted}.`);
  };
  const list = (name: string): string[] =>
    (get(name) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  const webAddress = (name: string, path: RegExp, wanted: string): string | undefined => {
    const value = get(name);
    return value === undefined ? undefined : (addressIn(value, path) ?? fail(name, value, wanted));
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
    origin: (name: string) =>
      webAddress(name, noPath, 'an http or https address such as https://media.example.org, without a path'),
    /** Like `origin`, but a path is allowed. */
    baseUrl: (name: string) =>
      webAddress(
        name,
        basePath,
        'an http or https address such as https://example.org or https://example.org/renderkit',
      ),
    list,
    /** IP addresses or networks; `off` means none. */
    networks: (name: string): string[] => {
      const entries = list(name);
      if (entries.length === 1 && entries[0] === 'off') return [];
      for (const entry of entries)
        if (!isNetwork(entry))
          throw new ConfigError(
            `${name} holds ${JSON.stringify(entry)}, but it must be a list of IP addresses or networks such as 10.0.0.0/8.`,
          );
      return entries;
    },
    databaseUrl: (name: string): string | undefined => {
      const value = get(name);
      if (value !== undefined && !/^postgres(ql)?:\/\//.test(value))
        // The message does not repeat the value, because it may contain a password.
        throw new ConfigError(`${name} must be an address that begins with postgres:// or postgresql://.`);
      return value;
    },
    fail,
  };
}

const noPath = /^$/;
/** Path segments of letters, digits and characters that have no meaning in HTML, regular expressions and cookies. */
const basePath = /^(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;

/**
 * Returns the address without a trailing slash. Returns `undefined` when the value is not http or https, when its path
 * does not match, or when it has a query, a fragment or a user.
 */
function addressIn(value: string, path: RegExp): string | undefined {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.search !== '' || url.hash !== '' || url.username !== '') return undefined;
  const below = url.pathname.replace(/\/$/, '');
  return path.test(below) ? url.origin + below : undefined;
}

function readSecretFile(name: string, file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new ConfigError(`${name} is ${JSON.stringify(file)}, which cannot be read (${code}).`, { cause });
  }
  if (text === '') throw new ConfigError(`${name} is ${JSON.stringify(file)}, which is empty.`);
  return text;
}

function isNetwork(entry: string): boolean {
  const [address = '', bits = '0', more] = entry.split('/');
  const widest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return more === undefined && /^\d{1,3}$/.test(bits) && Number(bits) <= widest;
}
