/**
 * The studio's own refusals on its HTTP interface: code → status. The body is `{code, message}`, with
 * `retry_after` (whole seconds, also as the header) where waiting helps.
 */
export const studioErrors = {
  invalid_request: { status: 400 },
  /** The token is unknown, expired or revoked: refresh it, once. */
  invalid_token: { status: 401 },
  forbidden: { status: 403 },
  /** Of administration: the person has to prove anew who they are (`freshSignInHeader`). */
  sign_in_required: { status: 403 },
  /** What the call would store does not fit any more; the body has `storage`. */
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

/** Why a quote or a submit is refused though the call itself succeeded. */
export const refusalCodes = [
  'moderation_blocked',
  'unprocessable',
  'concurrency',
  /** Nothing can make the model at present: come again. */
  'model_paused',
  'insufficient_credits',
  'tier_required',
  'forbidden',
  /** The account stores as much as it may, or the file does not fit; with `storage`. */
  'storage_full',
  'account_suspended',
  'email_not_verified',
  'geo_blocked',
  /** The quote is unknown, past its 25 hours, or was made for another request. */
  'quote_invalid',
] as const;

export type RefusalCode = (typeof refusalCodes)[number];
