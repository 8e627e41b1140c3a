import type { RequestBody } from './kinds.ts';

/** A create as it was sent. */
export type SentRequest = { path: string; body: RequestBody; key: string };

/**
 * The Idempotency-Key of a create: the key of the unconfirmed request where this is the same request, otherwise a new
 * one. Pages served without TLS have no `crypto.randomUUID`.
 */
export function idempotencyKeyFor(
  request: Omit<SentRequest, 'key'>,
  unconfirmed: SentRequest | undefined,
): string {
  if (
    unconfirmed !== undefined &&
    unconfirmed.path === request.path &&
    sameBody(unconfirmed.body, request.body)
  )
    return unconfirmed.key;
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function sameBody(one: RequestBody, other: RequestBody): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
