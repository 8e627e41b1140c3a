import { createMcpHandler } from '@modelcontextprotocol/server';
import Renderkit, { type Fetch } from 'renderkit';
import { ConfirmationTokens } from './confirmation-tokens.ts';
import type { McpConnection, Purchases } from './connection.ts';
import { createMcpServer } from './server.ts';
import { version } from './version.ts';

export type { Purchase, PurchaseRequest, Purchases } from './connection.ts';

export type McpHttpOptions = {
  /** Address of the API that the tools call. */
  baseUrl: string;
  fetch: Fetch;
  /** 32 bytes. The same secret in every process that may receive a token of another process. */
  confirmationSecret: Uint8Array;
  /** Called with errors that are not part of a response. */
  onError: (error: Error) => void;
};

/** One HTTP request. Its key was checked. */
export type McpRequest = {
  request: Request;
  /** The parsed JSON body. `undefined` when the request has no body. */
  body: unknown;
  /** Headers with the key, for requests to the API. */
  credentials: Record<string, string>;
  purchases: Purchases;
  /** Aborts when the caller disconnects or the server stops. */
  signal: AbortSignal;
};

export type McpHttp = {
  /** Answers requests of both protocol versions (2026-07-28, and the handshake of 2025). Keeps no session. */
  handle(request: McpRequest): Promise<Response>;
  /** Ends all requests in progress. */
  close(): Promise<void>;
};

/**
 * Serves the tools over streamable HTTP. The tools call the API with the caller's own key and have no other
 * permissions. `service/src/mcp/start-mcp.ts` checks the key and the rate before each call.
 */
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
        // A caller waits for at most a minute, and can repeat a call.
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
        // The key is not included: tools use the client, which has the key.
        authInfo: { token: '', clientId: '', scopes: [], extra: { connection } },
      });
    },
    close: () => handler.close(),
  };
}
