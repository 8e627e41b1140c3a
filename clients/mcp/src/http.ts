import { createMcpHandler } from '@modelcontextprotocol/server';
import Renderkit, { type Fetch } from 'renderkit';
import { ConfirmationTokens } from './confirmation-tokens.ts';
import type { McpConnection, Purchases } from './connection.ts';
import { createMcpServer } from './server.ts';
import { version } from './version.ts';

export type { Purchase, PurchaseRequest, Purchases } from './connection.ts';

export type McpHttpOptions = {
  /** Address of the API that tools ask. */
  baseUrl: string;
  fetch: Fetch;
  /** 32 bytes, the same in every process that may see a confirmation of another. */
  confirmationSecret: Uint8Array;
  /** Is told of what went wrong beside the answers. */
  onError: (error: Error) => void;
};

/** One request over HTTP whose key was checked. */
export type McpRequest = {
  request: Request;
  /** Its body as JSON, undefined where it has none. */
  body: unknown;
  /** Headers with the key, for the API. */
  credentials: Record<string, string>;
  purchases: Purchases;
  /** Aborts when the caller has gone, or the server stops. */
  signal: AbortSignal;
};

export type McpHttp = {
  /** Answers requests of both protocol eras (2026-07-28, and the handshake of 2025), and keeps no session. */
  handle(request: McpRequest): Promise<Response>;
  /** Ends what is under way. */
  close(): Promise<void>;
};

/** The tools over streamable HTTP: they ask the API with the caller's own key, and have no powers beside it. */
export function createMcpHttp(options: McpHttpOptions): McpHttp {
  const confirmationTokens = new ConfirmationTokens(options.confirmationSecret);
  const handler = createMcpHandler(
    ({ authInfo }) => createMcpServer(authInfo?.extra?.['connection'] as McpConnection),
    { onerror: options.onError },
  );
  return {
    handle: ({ request, body, credentials, purchases, signal }) => {
      const client = new Renderkit({
        baseUrl: options.baseUrl,
        apiKey: null,
        headers: credentials,
        fetch: options.fetch,
        appInfo: { name: 'renderkit-mcp', version },
        // A caller waits for a minute at most, and can repeat a call.
        maxRetries: 0,
      });
      const connection: McpConnection = {
        client,
        purchases,
        confirmationTokens,
        openFile: undefined,
        signal,
      };
      return handler.fetch(request, {
        ...(body !== undefined && { parsedBody: body }),
        // The key stays out of it: tools have the client that goes with it.
        authInfo: { token: '', clientId: '', scopes: [], extra: { connection } },
      });
    },
    close: () => handler.close(),
  };
}
