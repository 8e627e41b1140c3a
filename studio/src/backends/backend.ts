import type { EngineName } from '@renderkit/engine-kit/route.ts';

/** The state of a backend. `busy`: all its slots are taken. `studio/sql/functions/backend_json.sql` decides it. */
export type BackendState = 'ready' | 'busy' | 'resting' | 'down' | 'draining' | 'off';

/** A backend as operators see it. */
export type Backend = {
  name: string;
  engine: EngineName;
  /** `null` for local engines. */
  url: string | null;
  state: BackendState;
  /** A sentence; `null` if there is nothing to report. */
  reason: string | null;
  /** When its state began: ISO 8601. */
  since: string;
  /** `null` for a local engine: as many as each worker makes at once. */
  slots: number | null;
  in_use: number;
  labels: string[];
  /** Spent and reserved today (UTC), in the currency of its provider. */
  cost_today: number;
};

/**
 * What an operator sets of a backend. What is left out or undefined stays; `null` removes it. `check-settings.ts` checks
 * the values.
 */
export type BackendSettings = {
  url?: string | undefined;
  slots?: number | undefined;
  labels?: readonly string[] | undefined;
  /** In plain text. Stored encrypted and never shown again. */
  secret?: string | undefined;
  /** Sent with each request; added to the headers that the backend has. */
  headers?: Readonly<Record<string, string>> | undefined;
  maxCostPerDay?: number | null | undefined;
  currency?: string | undefined;
  allowLoss?: boolean | undefined;
};

/** An operator's request cannot be met. The message is for the operator. */
export class BackendError extends Error {
  override name = 'BackendError';
  /** `missing`: there is no such backend; `conflict`: not possible in the present state. */
  readonly kind: 'invalid' | 'missing' | 'conflict';
  /** The setting at fault, if it is a single one, by its name in backends.yaml. */
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
