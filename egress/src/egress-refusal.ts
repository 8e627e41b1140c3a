/** Every way in which an outgoing request can end without an answer that counts. */
export const egressFailureKinds = [
  /** The URL's form, or an address it stands for, is not allowed; nothing was sent. */
  'blocked',
  /** The name has no address, or its servers did not say in time. */
  'dns',
  /** No address took the connection. */
  'refused',
  /** The time for the whole request, or for the head of the answer, ran out. */
  'timeout',
  /** The handshake or the certificate failed. */
  'tls',
  /** A 3xx answer that is not followed. */
  'redirect',
  /** More bytes, in head or body, than the caller takes. */
  'too_large',
  /** The body came slower than the floor. */
  'too_slow',
  /** The answer is not HTTP, or broke off. */
  'protocol',
  /** The caller's signal or the end of the egress stopped it. */
  'aborted',
] as const;

export type EgressFailureKind = (typeof egressFailureKinds)[number];

/**
 * Why a URL is `blocked`. `form`: how it is written. `network`: its scheme or its name has a meaning only in a network
 * that the operator did not list. `address`: it leads to an address that is not public.
 */
export type BlockedIssue = 'form' | 'network' | 'address';

/**
 * What an API client gets, whatever the kind: which of them it was would let a client map the networks
 * that the server can see (decision 0022). The kind itself is for the operator's log.
 */
export const publicMessage =
  'The URL could not be fetched. It must be an https URL on the public internet that answers directly, in time and with a file of an accepted size.';

/**
 * A request that the egress refuses or gives up. `message` is our own words and names nothing that was found behind
 * the URL; `code` is the error code of the system or library underneath, for the operator's log only.
 */
export class EgressRefusal extends Error {
  override readonly name = 'EgressRefusal';
  readonly kind: EgressFailureKind;
  /** Of the 3xx answer when the kind is `redirect`, else null. */
  readonly status: number | null;
  readonly code: string | null;
  /** Of a URL that is refused before anything is sent, else null. */
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

/** The `code` of a system or library error, or null. */
export function errorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}
