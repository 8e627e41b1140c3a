/** Names of the headers that have a special meaning in the API, as they are written on the wire. */
export const headers = {
  apiKey: 'X-API-Key',
  idempotencyKey: 'Idempotency-Key',
  idempotentReplayed: 'Idempotent-Replayed',
  lastEventId: 'Last-Event-ID',
  newestEventId: 'X-Renderkit-Last-Event-ID',
  maxCredits: 'X-Renderkit-Max-Credits',
  requestId: 'X-Request-Id',
  rateLimit: 'X-RateLimit-Limit',
  rateRemaining: 'X-RateLimit-Remaining',
  prefer: 'Prefer',
  preferenceApplied: 'Preference-Applied',
  retryAfter: 'Retry-After',
} as const;

/** Headers of a webhook delivery (docs/api.md §6). `service/src/webhooks/deliveries/sign.ts` sets them. */
export const deliveryHeaders = {
  event: 'Service-Event',
  delivery: 'Service-Delivery',
  signature: 'Service-Signature',
} as const;

export const deliveryUserAgent = 'Service-API-Webhooks/1.0';

export const problemMediaType = 'application/problem+json';
