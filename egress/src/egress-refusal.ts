/**
 * All reasons why an outgoing request can end without a valid answer. `connector.ts`, `exchange.ts`,
 * `guarded-fetch.ts`, `read-body.ts` and `validate-url.ts` decide most of them.
 */
export const egressFailureKinds = [
  /** The form of the URL, or an address that it leads to, is not allowed. Nothing was sent. */
  'blocked',
  /** The name has no address, or its name servers did not answer in time. */
  'dns',
  /** No address accepted the connection. */
  'refused',
  /** The time limit for the whole request, or for the head of the answer, was reached. */
  'timeout',
  /** The handshake or the certificate failed. */
  'tls',
  /** A 3xx answer that is not followed. */
  'redirect',
  /** The head or body has more bytes than the caller accepts. */
  'too_large',
  /** The body arrived more slowly than the minimum rate. */
  'too_slow',
  /** The answer is not HTTP, or was interrupted. */
  'protocol',
  /** The signal of the caller, or the end of the egress, stopped the request. */
  'aborted',
] as const;

export type EgressFailureKind = (typeof egressFailureKinds)[number];

/**
 * Why a URL is `blocked`. `form`: how it is written. `network`: its scheme or its name is only valid in a network that
 * the operator did not list. `address`: it leads to an address that is not public.
 */
export type BlockedIssue = 'form' | 'network' | 'address';

/**
 * The message for an API client, the same for every kind. The kind would let a client map the networks that the server
 * can reach (decision 0022), so only the operator's log contains it.
 */
export const publicMessage =
  'The URL could not be fetched. It must be an https URL on the public internet that answers directly, in time and with a file of an accepted size.';

/**
 * The egress refused or stopped a request. `message` is our own text and contains nothing that was found behind the
 * URL. `code` is the error code of the system or library, for the operator's log only.
 */
export class EgressRefusal extends Error {
  override readonly name = 'EgressRefusal';
  readonly kind: EgressFailureKind;
  /** The status of the 3xx answer when the kind is `redirect`, else `null`. */
  readonly status: number | null;
  readonly code: string | null;
  /** Set when a URL is refused before anything is sent, else `null`. */
  readonly issue: BlockedIssue | null;

  constructor(
    kind: EgressFailureKind,
    message: string,
    options: { status?: number; cause?: unknown; issue?: BlockedIssue } = {},
  ) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.issue = options.issue ?? null;
    this.status = options.status ?? null;
    this.code = errorCode(options.cause);
  }
}

/** Returns the `code` of a system or library error, or `null`. */
export function errorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}
