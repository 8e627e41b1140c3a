import type { Renderkit } from 'renderkit';
import type { ConfirmationTokens } from './confirmation-tokens.ts';

/** What the tools use: a client with one key, and the services of the transport (HTTP or stdio). */
export type McpConnection = {
  client: Renderkit;
  purchases: Purchases;
  confirmationTokens: ConfirmationTokens;
  /** Opens a file for `import_media`. `undefined` when the caller's files are not on this machine. */
  openFile: ((path: string) => Promise<Blob>) | undefined;
  /** Aborts when no client waits for responses any more. */
  signal: AbortSignal | undefined;
};

/** One create that a tool call asks for. */
export type PurchaseRequest = {
  tool: string;
  /** Arguments that are the same in two equal calls. */
  arguments: object;
  /** Aborts when the caller gives up the call. */
  signal: AbortSignal;
};

/**
 * Assigns the idempotency key of a create. Programs repeat a call whose response was lost, with the same arguments as
 * before. Such a repeated call gets the key of the first call. Implemented by `local-purchases.ts` (stdio) and
 * `service/src/mcp/exchange-purchases.ts` (`/mcp`).
 */
export type Purchases = { take(request: PurchaseRequest): Promise<Purchase> };

export type Purchase = {
  idempotencyKey: string;
  /** Whether an equal call was made before and its response was lost. */
  repeated: boolean;
  /**
   * Records how the create ended. After `unknown`, or when the caller never receives the response, the next equal call
   * gets the same key. After `refused` nothing was charged, and the next call gets a new key.
   */
  end(outcome: 'created' | 'refused' | 'unknown'): Promise<void>;
};
