import {
  type CallToolResult,
  Client,
  type ElicitResult,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import type { Platform } from '@renderkit/stack/testing/platform.ts';

/** The era of the protocol. */
export type Era = 'legacy' | 'auto';
export type Answer = { isError: boolean; text: string; data: unknown; result: CallToolResult };

export type ConnectOptions = {
  key?: string;
  /** The person's answer to every form. */
  answer?: ElicitResult;
  fetch?: typeof fetch;
};

/** Connects the official client to `/mcp` of a service. */
export async function connectMcp(
  platform: Platform,
  era: Era,
  { key = '', answer, fetch: own }: ConnectOptions,
): Promise<Connected> {
  const client = newClient(era, answer);
  const url = new URL('/mcp', platform.serviceUrls[0]);
  const headers = { authorization: `Bearer ${key}` };
  await client.connect(
    new StreamableHTTPClientTransport(url, {
      requestInit: { headers },
      ...(own !== undefined && { fetch: own }),
    }),
  );
  return new Connected(client);
}

export function newClient(era: Era, answer: ElicitResult | undefined): Client {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      versionNegotiation: { mode: era },
      capabilities: answer === undefined ? {} : { elicitation: { form: {} } },
    },
  );
  if (answer !== undefined) client.setRequestHandler('elicitation/create', async () => answer);
  return client;
}

export class Connected implements AsyncDisposable {
  readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  async call(name: string, given: Record<string, unknown>): Promise<Answer> {
    const result = await this.client.callTool({ name, arguments: given });
    const [first] = result.content;
    return {
      isError: result.isError === true,
      text: first?.type === 'text' ? first.text : '',
      data: result.structuredContent,
      result,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
  }
}

export async function balance(mcp: Connected): Promise<number> {
  return ((await mcp.call('account', {})).data as { balance: number }).balance;
}

/** Parses the last line of a refusal. */
export function detailsOf({ text }: Answer): unknown {
  return JSON.parse(text.split('\n').at(-1) ?? '');
}
