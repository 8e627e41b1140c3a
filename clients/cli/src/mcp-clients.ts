import path from 'node:path';
import type { Folders } from './config.ts';
import { withTomlServer } from './toml-server.ts';

/** How a program reaches the tools: over HTTP, or as a process that it starts on this machine. */
export type McpServer =
  | { type: 'remote'; url: string; key: string }
  | { type: 'local'; command: string; args: readonly string[]; env: Record<string, string> };

type McpClient = {
  /** Returns the path of the program's settings file for all projects of this user. */
  file: (folders: Folders) => string;
  /** Keys that lead to the entry in a JSON file. A TOML file uses tables instead. */
  entry: readonly [string, string] | 'toml';
  /** Builds the entry. `undefined` where the program does not support remote servers. */
  remote: ((server: { url: string; headers: Record<string, string> }) => object) | undefined;
  local: (server: { command: string; args: readonly string[]; env: Record<string, string> }) => object;
};

const program = ({ command, args, env }: { command: string; args: readonly string[]; env: object }) => ({
  command,
  args,
  env,
});

/** The settings files of agents. `clients/sdk/src/programs.ts` has the settings that people copy. */
export const mcpClients = {
  'claude-code': {
    file: ({ home }) => path.join(home, '.claude.json'),
    entry: ['mcpServers', 'renderkit'],
    remote: (server) => ({ type: 'http', ...server }),
    local: (server) => ({ type: 'stdio', ...program(server) }),
  },
  'claude-desktop': {
    file: ({ desktop }) => path.join(desktop, 'Claude', 'claude_desktop_config.json'),
    entry: ['mcpServers', 'renderkit'],
    remote: undefined,
    local: program,
  },
  cursor: {
    file: ({ home }) => path.join(home, '.cursor', 'mcp.json'),
    entry: ['mcpServers', 'renderkit'],
    remote: (server) => server,
    local: program,
  },
  vscode: {
    file: ({ desktop }) => path.join(desktop, 'Code', 'User', 'mcp.json'),
    entry: ['servers', 'renderkit'],
    remote: (server) => ({ type: 'http', ...server }),
    local: (server) => ({ type: 'stdio', ...program(server) }),
  },
  codex: {
    file: ({ codex }) => path.join(codex, 'config.toml'),
    entry: 'toml',
    remote: ({ url, headers }) => ({ url, http_headers: headers }),
    local: program,
  },
  opencode: {
    file: ({ config }) => path.join(config, 'opencode', 'opencode.json'),
    entry: ['mcp', 'renderkit'],
    remote: (server) => ({ type: 'remote', ...server, enabled: true }),
    local: ({ command, args, env }) => ({
      type: 'local',
      command: [command, ...args],
      environment: env,
      enabled: true,
    }),
  },
  gemini: {
    file: ({ home }) => path.join(home, '.gemini', 'settings.json'),
    entry: ['mcpServers', 'renderkit'],
    remote: ({ url, headers }) => ({ httpUrl: url, headers }),
    local: program,
  },
  zed: {
    file: ({ config }) => path.join(config, 'zed', 'settings.json'),
    entry: ['context_servers', 'renderkit'],
    remote: (server) => server,
    local: program,
  },
} as const satisfies Record<string, McpClient>;

export type McpClientName = keyof typeof mcpClients;
export const mcpClientNames = Object.keys(mcpClients) as McpClientName[];

/**
 * Returns the text of a program's settings with our server added. `before` is the text of the file; `undefined` if the
 * file does not exist.
 */
export function withMcpServer(client: McpClient, server: McpServer, before: string | undefined): string {
  const value = entryOf(client, server);
  if (client.entry === 'toml') return withTomlServer(before ?? '', value);
  const settings = before === undefined || before.trim() === '' ? {} : (JSON.parse(before) as unknown);
  if (!isObject(settings)) throw new SyntaxError('it is no object');
  const [group, name] = client.entry;
  const servers = settings[group] ?? {};
  if (!isObject(servers)) throw new SyntaxError(`${group} is no object`);
  return `${JSON.stringify({ ...settings, [group]: { ...servers, [name]: value } }, undefined, 2)}\n`;
}

function entryOf(client: McpClient, server: McpServer): Record<string, unknown> {
  if (server.type === 'local') return client.local(server) as Record<string, unknown>;
  const headers = { Authorization: `Bearer ${server.key}` };
  return client.remote?.({ url: server.url, headers }) as Record<string, unknown>;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
