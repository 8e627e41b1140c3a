import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { GlobalValues } from './options.ts';
import { CliError, exitCodes } from './cli-error.ts';

/** Address of a service, and the key for it. */
export type Profile = {
  base_url: string;
  api_key: string;
};

type Config = {
  current: string;
  profiles: Record<string, Profile>;
  /**
   * Secrets that `listen` signs with, by profile. A secret never changes. `profileSecret` in `forward-event.ts` creates them.
   */
  webhook_secrets?: Record<string, string>;
};

/** Folders where this user's programs keep their settings. */
export type Folders = {
  home: string;
  /** Settings of terminal programs: `~/.config`. */
  config: string;
  /** Settings of desktop programs: the same folder, or its equivalent on macOS and Windows. */
  desktop: string;
  claude: string;
  codex: string;
};

/** Values that the command line reads from the environment. */
export type Environment = {
  apiKey: string | undefined;
  baseUrl: string | undefined;
  profile: string | undefined;
  configFile: string;
  /** The program that opens addresses, if BROWSER is set. */
  browser: string | undefined;
  folders: Folders;
  /** An agent runs the command line: output is as for a pipe, and no questions are asked. */
  isAgent: boolean;
  /** Describes the terminal, to choose colours and picture support. */
  terminal: Record<
    'TERM' | 'TERM_PROGRAM' | 'KITTY_WINDOW_ID' | 'TMUX' | 'STY' | 'NO_COLOR',
    string | undefined
  >;
};

/** Environment variables that agent programs set for the commands that they run. */
const agentVariables = ['CLAUDECODE', 'CODEX_SANDBOX', 'CURSOR_AGENT', 'GEMINI_CLI', 'OPENCODE', 'AI_AGENT'];

/** The address that `npm start` listens on. */
const defaultBaseUrl = 'http://127.0.0.1:8787';

export function readEnvironment(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Environment {
  const text = (name: string) => (env[name] === '' ? undefined : env[name]);
  const folder =
    text('XDG_CONFIG_HOME') ??
    (process.platform === 'win32' ? text('APPDATA') : undefined) ??
    path.join(homedir(), '.config');
  return {
    apiKey: text('RENDERKIT_API_KEY'),
    baseUrl: text('RENDERKIT_BASE_URL'),
    profile: text('RENDERKIT_PROFILE'),
    configFile: path.join(folder, 'renderkit', 'config.json'),
    browser: text('BROWSER'),
    folders: foldersOf(text),
    isAgent: agentVariables.some((name) => text(name) !== undefined),
    terminal: {
      TERM: text('TERM'),
      TERM_PROGRAM: text('TERM_PROGRAM'),
      KITTY_WINDOW_ID: text('KITTY_WINDOW_ID'),
      TMUX: text('TMUX'),
      STY: text('STY'),
      NO_COLOR: text('NO_COLOR'),
    },
  };
}

function foldersOf(text: (name: string) => string | undefined): Folders {
  const home = homedir();
  const config = text('XDG_CONFIG_HOME') ?? path.join(home, '.config');
  return {
    home,
    config,
    desktop:
      process.platform === 'darwin'
        ? path.join(home, 'Library', 'Application Support')
        : process.platform === 'win32'
          ? (text('APPDATA') ?? path.join(home, 'AppData', 'Roaming'))
          : config,
    claude: text('CLAUDE_CONFIG_DIR') ?? path.join(home, '.claude'),
    codex: text('CODEX_HOME') ?? path.join(home, '.codex'),
  };
}

/** Reads the saved profiles. @throws CliError when the file is not valid JSON */
export function readConfig(file: string): Config {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return { current: 'default', profiles: {} };
    throw error;
  }
  try {
    const config = JSON.parse(text) as Partial<Config>;
    return { ...config, current: config.current ?? 'default', profiles: config.profiles ?? {} };
  } catch {
    throw new CliError(`${file} is no JSON.`, {
      advice: 'Mend it, or remove it and sign in again with `renderkit login --with-key`.',
    });
  }
}

/** Writes the profiles atomically. Only the user may read the file. */
export function writeConfig(file: string, config: Config): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const partial = `${file}.${process.pid}.part`;
  writeFileSync(partial, `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(partial, file);
}

export function nameOfProfile(environment: Environment, values: GlobalValues, config: Config): string {
  return values.profile ?? environment.profile ?? config.current;
}

/**
 * Returns the address and key to use. Command-line values override the environment, and the environment overrides the
 * profile. A profile's key is sent only to the profile's own address.
 *
 * @throws CliError when there is no key for the address
 */
export function chooseConnection(
  environment: Environment,
  values: GlobalValues,
): { baseUrl: string; apiKey: string; from: string; profile?: string } {
  const config = readConfig(environment.configFile);
  const name = nameOfProfile(environment, values, config);
  const profile = config.profiles[name];
  const baseUrl = values['base-url'] ?? environment.baseUrl ?? profile?.base_url ?? defaultBaseUrl;
  if (environment.apiKey !== undefined && values.profile === undefined)
    return { baseUrl, apiKey: environment.apiKey, from: 'RENDERKIT_API_KEY' };
  if (profile === undefined)
    throw new CliError(
      values.profile === undefined ? 'There is no API key.' : `There is no profile ${JSON.stringify(name)}.`,
      {
        exitCode: exitCodes.notAllowed,
        code: 'no_key',
        advice: 'Set RENDERKIT_API_KEY, or run `renderkit login --with-key` once.',
      },
    );
  if (addressOf(baseUrl) !== addressOf(profile.base_url))
    throw new CliError(`The key of profile ${name} is for ${profile.base_url}, not for ${baseUrl}.`, {
      exitCode: exitCodes.notAllowed,
      code: 'no_key',
      advice: `Set RENDERKIT_API_KEY for ${baseUrl}, or sign in there under another name: \`renderkit login --with-key --profile NAME --base-url ${baseUrl}\`.`,
    });
  return { baseUrl, apiKey: profile.api_key, from: `profile ${name}`, profile: name };
}

export function defaultAddress(environment: Environment, values: GlobalValues): string {
  return values['base-url'] ?? environment.baseUrl ?? defaultBaseUrl;
}

/** Returns the address of the service, for requests that need no key: the profile's address, else the default. */
export function serviceAddress(environment: Environment, values: GlobalValues): string {
  try {
    return addressOf(chooseConnection(environment, values).baseUrl);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return addressOf(defaultAddress(environment, values));
  }
}

/**
 * Returns the address of a console page such as `/keys`. It works without a key, because users create their first key
 * there.
 */
export function consoleAddress(environment: Environment, values: GlobalValues, page: string): string {
  return `${serviceAddress(environment, values)}/console${page}`;
}

const addressOf = (text: string) => text.replace(/\/+$/, '').replace(/\/v1$/, '');
