import type { RequestBody } from './kind-labels.ts';

/** A create as it was sent. */
export type SentRequest = { path: string; body: RequestBody; key: string };

/**
 * Returns a new Idempotency-Key. Pages without TLS do not have `crypto.randomUUID`. `use-burst.ts` decides when a key
 * is used again.
 */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
