import type { Door } from 'renderkit/programs';
import { ownPath } from '../format/own-path.ts';

/** The result of a trial, as a sentence. */
export type Trial = { works: boolean; says: string };

type Attempt = {
  path: string;
  /** The program sends its request to the root of the host, even if the service is below a path. */
  atRoot?: true;
  init?: RequestInit;
  /** Returns the Authorization header as the program sends it. A bearer token when left out. */
  authorization?: (key: string) => string;
  /** Returns a sentence about the response. `undefined` when the response does not have the expected shape. */
  read: (answer: unknown) => string | undefined;
};

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** The command line has its own trials in `clients/cli/src/commands/connect.ts`. */
const attempts: Record<Door, Attempt> = {
  v1: {
    path: '/v1/key',
    read: (answer) => {
      const { name, scopes } = answer as { name?: string; scopes?: string[] };
      return scopes && `The key “${name ?? ''}” works. It may: ${scopes.join(', ')}.`;
    },
  },
  openai: {
    path: '/openai/v1/models',
    read: (answer) => {
      const { data } = answer as { data?: unknown[] };
      return data && `The program will find ${data.length} models.`;
    },
  },
  a1111: {
    path: '/sdapi/v1/sd-models',
    atRoot: true,
    // These programs use a user name and a password.
    authorization: (key) => `Basic ${btoa(`x:${key}`)}`,
    read: (answer) => (Array.isArray(answer) ? `The program will find ${answer.length} models.` : undefined),
  },
  mcp: {
    path: '/mcp',
    init: {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    },
    read: (answer) => {
      const { result } = answer as { result?: { tools?: unknown[] } };
      return result?.tools && `The agent will find ${result.tools.length} tools.`;
    },
  },
};

const bearer = (key: string) => `Bearer ${key}`;

/** Sends the cheapest request of an interface with this key, as a program would. Charges nothing. */
export async function tryDoor(door: Door, key: string): Promise<Trial> {
  const { path, atRoot, init, authorization = bearer, read } = attempts[door];
  try {
    const answer = await fetch(atRoot === true ? path : ownPath(path), {
      ...init,
      credentials: 'omit',
      headers: { ...init?.headers, authorization: authorization(key) },
    });
    const text = await answer.text();
    // In a stream of events, the only message begins at the first brace.
    const value = parsed(/^[[{]/.test(text) ? text : text.slice(text.indexOf('{')));
    const says = answer.ok ? read(value) : undefined;
    if (says !== undefined) return { works: true, says };
    return { works: false, says: `${path} answered ${answer.status}. ${refusalIn(value)}` };
  } catch {
    return { works: false, says: 'The service does not answer.' };
  }
}

function parsed(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch {
    return {};
  }
}

/** Returns the error text. Each interface has its own shape of errors. */
function refusalIn(value: object): string {
  const { detail, error } = value as { detail?: string; error?: { message?: string } };
  return detail ?? error?.message ?? 'This door may be closed: ask the operator for FACADES.';
}
