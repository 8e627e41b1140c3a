import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { command } from '../command.ts';
import { chooseConnection } from '../config.ts';
import { CliError, UsageError } from '../cli-error.ts';
import {
  type McpClientName,
  mcpClientNames,
  mcpClients,
  type McpServer,
  withMcpServer,
} from '../mcp-clients.ts';
import type { Session } from '../session.ts';

export const serve = command({
  usage: '',
  about:
    'Serves tools for agents over stdin and stdout (MCP), with your address and key. Programs start it by themselves.',
  options: {},
  run: async ({ environment, values }) => {
    const { baseUrl, apiKey } = chooseConnection(environment, values);
    const { serveMcpOverStdio } = await import('@renderkit/mcp/stdio');
    serveMcpOverStdio({ baseUrl, apiKey });
  },
});

export const install = command({
  usage: '--client NAME',
  about:
    'Writes these tools into the settings of a program for agents, with your address and key. What else its file holds stays; what it held of ours is replaced.',
  options: {
    client: { form: 'NAME', about: 'which program', choices: mcpClientNames },
    local: {
      about: 'it starts them on this machine, where they reach your files; the key stays in your profile',
    },
    remote: { about: 'it asks the service over HTTP; the default where the program can' },
    print: { about: 'show the file as it would be, and write nothing' },
  },
  run: (session, _words, values) => {
    const name = values.client as McpClientName | undefined;
    if (name === undefined)
      throw new UsageError('Name the program with --client.', `There are ${mcpClientNames.join(', ')}.`);
    if (values.local === true && values.remote === true)
      throw new UsageError('--local and --remote exclude each other.');
    const client = mcpClients[name];
    if (values.remote === true && client.remote === undefined)
      throw new UsageError(`${name} starts its tools itself: leave --remote out.`);
    const server = serverOf(session, client.remote === undefined || values.local === true);
    const file = client.file(session.environment.folders);
    const settings = settingsWith(name, server, file);
    if (values.print === true) process.stdout.write(settings);
    else {
      writeSettings(file, settings);
      const found = { client: name, file, type: server.type };
      session.output.result(found, [file], () => [`${file} has the tools now. Start ${name} again.`]);
    }
    return Promise.resolve();
  },
});

function serverOf({ environment, values }: Session, isLocal: boolean): McpServer {
  const { baseUrl, apiKey, profile } = chooseConnection(environment, values);
  const address = baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
  if (!isLocal) return { type: 'remote', url: `${address}/mcp`, key: apiKey };
  return {
    type: 'local',
    command: 'npx',
    args: ['-y', '@renderkit/cli', 'mcp', ...(profile === undefined ? [] : ['--profile', profile])],
    // A key from this shell's environment is not set when the other program starts the tools, so it is written down.
    env: profile === undefined ? { RENDERKIT_BASE_URL: address, RENDERKIT_API_KEY: apiKey } : {},
  };
}

/** Placeholder for the key where others may read the text. */
const keyPlace = 'YOUR_KEY';

/**
 * Returns the new text of a settings file.
 *
 * @throws CliError when this program cannot parse the file and write it again without loss
 */
function settingsWith(name: McpClientName, server: McpServer, file: string): string {
  const before =
    statSync(file, { throwIfNoEntry: false }) === undefined ? undefined : readFileSync(file, 'utf8');
  try {
    return withMcpServer(mcpClients[name], server, before);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const form = mcpClients[name].entry === 'toml' ? 'TOML that can be added to' : 'plain JSON';
    throw new CliError(`${file} is no ${form} (${error.message}), so it was left as it is.`, {
      code: 'settings_unread',
      advice: `Put this into it by hand, with your key:\n${withMcpServer(mcpClients[name], withoutKey(server), undefined)}`,
    });
  }
}

/** Replaces the key. Printed text may be stored by the program that shows it. */
function withoutKey(server: McpServer): McpServer {
  if (server.type === 'remote') return { ...server, key: keyPlace };
  return server.env['RENDERKIT_API_KEY'] === undefined
    ? server
    : { ...server, env: { ...server.env, RENDERKIT_API_KEY: keyPlace } };
}

/**
 * Writes the settings file atomically, to the target of a symbolic link. Only the owner may read the file, because it
 * may contain a key.
 */
function writeSettings(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const target = existsSync(file) ? realpathSync(file) : file;
  const partial = `${target}.${process.pid}.part`;
  writeFileSync(partial, text, { mode: 0o600 });
  renameSync(partial, target);
}
