/**
 * The error codes of the studio's HTTP interface, with their status. The body is `{code, message}`, and `retry_after`
 * (whole seconds, also as a header) when waiting helps. `service/src/studio-client/translate-error.ts` turns the codes
 * into problems for clients.
 */
export const studioErrors = {
  invalid_request: { status: 400 },
  /** The token is unknown, expired or revoked. The client should refresh it once. */
  invalid_token: { status: 401 },
  forbidden: { status: 403 },
  /** Only in administration: the person must authenticate again (`freshSignInHeader`). */
  sign_in_required: { status: 403 },
  /** The storage is too full for the data of the call; the body has `storage`. */
  storage_full: { status: 403 },
  not_found: { status: 404 },
  conflict: { status: 409 },
  too_large: { status: 413 },
  rate_limited: { status: 429 },
  internal_error: { status: 500 },
  maintenance: { status: 503 },
  overloaded: { status: 503 },
} as const satisfies Record<string, { status: number }>;

export type StudioErrorCode = keyof typeof studioErrors;

/**
 * Reasons why a quote or a submit is refused although the call itself succeeded. The studio decides in
 * `studio/src/renders/create-quotes.ts` and `studio/sql/functions/accept_renders.sql`.
 * `service/src/quotes/studio-quotes.ts` turns the codes into problems for clients.
 */
export const refusalCodes = [
  'moderation_blocked',
  'unprocessable',
  'concurrency',
  /** No backend can make the model now; the client may retry later. */
  'model_paused',
  'insufficient_credits',
  'tier_required',
  'forbidden',
  /** The account has reached its storage limit, or the file does not fit; with `storage`. */
  'storage_full',
  'account_suspended',
  'email_not_verified',
  'geo_blocked',
  /** The quote is unknown, older than 25 hours, or belongs to another request. */
  'quote_invalid',
] as const;

export type RefusalCode = (typeof refusalCodes)[number];
