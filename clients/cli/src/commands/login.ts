import { text as textOf } from 'node:stream/consumers';
import { command } from '../command.ts';
import { defaultAddress, nameOfProfile, readConfig, writeConfig } from '../config.ts';
import { CliError, exitCodes, UsageError } from '../cli-error.ts';
import { table } from '../table.ts';
import { readSecret } from '../read-secret.ts';
import type { Session } from '../session.ts';

export const login = command({
  usage: '--with-key [--base-url URL] [--profile NAME]',
  about: 'Keeps an address and a key, which is read from stdin, once the service has taken it.',
  options: { 'with-key': { about: 'read the key from stdin; the console makes one' } },
  run: async (session, words, values) => {
    const { environment, output } = session;
    const baseUrl = defaultAddress(environment, session.values);
    if (values['with-key'] !== true || words.length > 0)
      throw new UsageError(
        'Sign in with an API key, which is read from stdin and never from the command line.',
        `Make one at ${baseUrl}/console/keys, then: renderkit login --with-key`,
      );
    const apiKey = (output.canAsk ? await readSecret('API key: ') : await textOf(process.stdin)).trim();
    if (!/^rk_\S+$/.test(apiKey))
      throw new CliError('That is no API key: one begins with rk_live_.', {
        exitCode: exitCodes.notAllowed,
        code: 'no_key',
        advice: `Make one at ${baseUrl}/console/keys.`,
      });
    const key = await session.clientOf({ baseUrl, apiKey }).account.key();
    const config = readConfig(environment.configFile);
    const name = nameOfProfile(environment, session.values, config);
    config.profiles[name] = { base_url: baseUrl, api_key: apiKey };
    config.current = name;
    writeConfig(environment.configFile, config);
    output.result({ profile: name, base_url: baseUrl, key }, [name], () => [
      `Signed in to ${baseUrl} with the key ${key.name} (${key.scopes.join(' ')}), kept as profile ${name}.`,
    ]);
  },
});

export const logout = command({
  usage: '[--profile NAME]',
  about: 'Forgets an address and its key. The key stays valid: the console revokes it.',
  options: {},
  run: (session) => {
    const config = readConfig(session.environment.configFile);
    forget(session, nameOfProfile(session.environment, session.values, config));
    return Promise.resolve();
  },
});

export const removeProfile = command({
  usage: 'NAME',
  about: 'Forgets an address and its key. The key stays valid: the console revokes it.',
  options: {},
  run: (session, [name]) => {
    if (name === undefined) throw new UsageError('Name the profile.', '`renderkit profile list` lists them.');
    forget(session, name);
    return Promise.resolve();
  },
});

function forget({ environment, output }: Session, name: string): void {
  const config = readConfig(environment.configFile);
  if (!Object.hasOwn(config.profiles, name))
    throw new CliError(`There is no profile ${JSON.stringify(name)}.`);
  delete config.profiles[name];
  if (config.current === name) config.current = Object.keys(config.profiles)[0] ?? 'default';
  writeConfig(environment.configFile, config);
  output.result({ profile: name, removed: true }, [name], () => [
    `Profile ${name} is forgotten; its key is still valid until the console revokes it.`,
  ]);
}

export const listProfiles = command({
  usage: '',
  about: 'Lists the addresses that a key is kept for; the one in use has a star.',
  options: {},
  run: ({ environment, values, output }) => {
    const config = readConfig(environment.configFile);
    const current = nameOfProfile(environment, values, config);
    const found = Object.entries(config.profiles).map(([name, { base_url: baseUrl, api_key: key }]) => ({
      name,
      base_url: baseUrl,
      key: `${key.slice(0, 20)}…`,
      current: name === current,
    }));
    output.result(
      found,
      found.map(({ name }) => name),
      () => table(found.map((one) => [one.current ? '*' : ' ', one.name, one.base_url, one.key])),
    );
    return Promise.resolve();
  },
});

export const useProfile = command({
  usage: 'NAME',
  about: 'Uses another profile from now on.',
  options: {},
  run: ({ environment, output }, [name]) => {
    const config = readConfig(environment.configFile);
    if (name === undefined || config.profiles[name] === undefined)
      throw new UsageError(
        name === undefined ? 'Name the profile.' : `There is no profile ${JSON.stringify(name)}.`,
        '`renderkit profile list` lists them.',
      );
    writeConfig(environment.configFile, { ...config, current: name });
    output.result({ profile: name }, [name], () => [`Profile ${name} is in use.`]);
    return Promise.resolve();
  },
});
