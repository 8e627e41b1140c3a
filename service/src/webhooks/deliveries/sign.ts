import { createHmac } from 'node:crypto';
import type { EventType } from '@renderkit/contract/v1/event-types.ts';
import { deliveryHeaders, deliveryUserAgent } from '@renderkit/contract/v1/headers.ts';

/**
 * Returns the value of Service-Signature (docs/api.md §6): `t`, and a `v1` for each secret, in the order of the
 * secrets. Each `v1` is the lower-case hexadecimal HMAC-SHA256 of `<t>.<body>` under the whole secret, `whsec_`
 * included. `t` is Unix seconds. For a day after a rotation there are two secrets (`endpoints/signing-secrets.ts`).
 * Programs that check a signature: `service/src/docs/verify-webhook`.
 */
export function signatureHeader(secrets: readonly string[], t: number, body: Buffer): string {
  const signatures = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex'),
  );
  return [`t=${t}`, ...signatures.map((signature) => `v1=${signature}`)].join(',');
}

/** The placeholder for the signature where a delivery is shown: each attempt makes a new signature. */
export const shownSignature = 't=<unix seconds>,v1=<signature>';

/** Returns the headers of every attempt at a delivery (docs/api.md §6), in the order in which they are sent. */
export function requestHeaders(
  delivery: { id: string; eventType: EventType },
  signature: string,
): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': deliveryUserAgent,
    [deliveryHeaders.event]: delivery.eventType,
    [deliveryHeaders.delivery]: delivery.id,
    [deliveryHeaders.signature]: signature,
  };
}
