import type { Renderkit } from 'renderkit';
import type { ConfirmationTokens } from './confirmation-tokens.ts';

/** What the tools work with: a client with one key, and what belongs to the way that calls come in by. */
export type McpConnection = {
  client: Renderkit;
  purchases: Purchases;
  confirmationTokens: ConfirmationTokens;
  /** Opens a file for `import_media`; undefined where the files of this machine are not the caller's. */
  openFile: ((path: string) => Promise<Blob>) | undefined;
  /** Aborts when nobody waits for answers any more. */
  signal: AbortSignal | undefined;
};

/** One create, as a tool was called for it. */
export type PurchaseRequest = {
  tool: string;
  /** What two equal calls have in common. */
  arguments: object;
  /** Aborts when the caller has given the call up. */
  signal: AbortSignal;
};

/**
 * Gives a create the idempotency key that it is charged under. Programs repeat a call whose answer was lost, and say no
 * more than the first time: such a call gets the key of the first one.
 */
export type Purchases = { take(request: PurchaseRequest): Promise<Purchase> };

export type Purchase = {
  idempotencyKey: string;
  /** An equal call was made before, and its answer was lost. */
  repeated: boolean;
  /**
   * How the create ended. After `unknown`, and where the caller never gets the answer, the next equal call has the same key;
   * after `refused` nothing was charged, and it begins anew.
   */
  end(outcome: 'created' | 'refused' | 'unknown'): Promise<void>;
};
