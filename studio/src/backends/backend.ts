import type { EngineName } from '@renderkit/engine-kit/route.ts';

/** What becomes of a backend. `busy`: all its slots are taken. */
export type BackendState = 'ready' | 'busy' | 'resting' | 'down' | 'draining' | 'off';

/** A backend as operators see it. */
export type Backend = {
  name: string;
  engine: EngineName;
  /** Null of local engines. */
  url: string | null;
  state: BackendState;
  /** A sentence, where there is something to say. */
  reason: string | null;
  /** When its state began: ISO 8601. */
  since: string;
  /** Null of a local engine: as many as each worker makes at once. */
  slots: number | null;
  in_use: number;
  labels: string[];
  /** Spent and reserved today (UTC), in the currency of its provider. */
  cost_today: number;
};

/** What an operator says of a backend; what is left out or undefined stays as it is, null takes it away. */
export type BackendSettings = {
  url?: string | undefined;
  slots?: number | undefined;
  labels?: readonly string[] | undefined;
  /** In clear; kept encrypted and never shown again. */
  secret?: string | undefined;
  /** Sent with each request; added to those that it has. */
  headers?: Readonly<Record<string, string>> | undefined;
  maxCostPerDay?: number | null | undefined;
  currency?: string | undefined;
  allowLoss?: boolean | undefined;
};

/** A wish that cannot be met; the message is for the operator. */
export class BackendError extends Error {
  override name = 'BackendError';
  /** `missing`: there is no such backend; `conflict`: not as things are now. */
  readonly kind: 'invalid' | 'missing' | 'conflict';
  /** What of the wish is at fault, where it is one thing, by its name in backends.yaml. */
  readonly field: string | undefined;

  constructor(
    message: string,
    options: ErrorOptions & { kind?: 'invalid' | 'missing' | 'conflict'; field?: string } = {},
  ) {
    super(message, options);
    this.kind = options.kind ?? 'invalid';
    this.field = options.field;
  }
}
