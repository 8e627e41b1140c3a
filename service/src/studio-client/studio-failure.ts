import type { StorageUse } from '@renderkit/contract/studio/storage.ts';
import type { StudioErrorCode } from '@renderkit/contract/studio/errors.ts';

const studioFailureKinds = [
  /** The studio is unreachable, in maintenance or overloaded. */
  'unavailable',
  /** The studio did not answer in time. */
  'timeout',
  /** The studio's answer does not match the contract. */
  'nonsense',
  /** The studio limits the account. */
  'rate_limited',
  /** The account's session at the studio has ended. Only its owner can begin a new one. */
  'connection_expired',
  /** The studio refused the call with a code of the contract. */
  'refused',
] as const;
export type StudioFailureKind = (typeof studioFailureKinds)[number];

/** The message of a refusal, and a message for each invalid field. */
export type StudioWords = { message: string; errors: { field: string; message: string }[] };

/**
 * A call to the studio that got no usable answer. The message is only for logs, because it may quote the studio.
 * `readRefusal` in `http-call.ts` chooses the kind, `translate-error.ts` makes a problem of it.
 */
export class StudioFailure extends Error {
  override name = 'StudioFailure';
  readonly kind: StudioFailureKind;
  /** The studio's own code; `undefined` when a proxy in front of the studio answered, or nobody. */
  readonly studioCode: StudioErrorCode | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** How much storage is used, and the limit, with `storage_full`. */
  readonly storage: StorageUse | undefined;
  /** False only when certainly nothing of the call reached the studio. */
  readonly maybeSent: boolean;
  /** The studio's messages with a code of the contract. Only its administrators may see them. */
  readonly said: StudioWords | undefined;

  constructor(
    kind: StudioFailureKind,
    message: string,
    options: {
      maybeSent: boolean;
      studioCode?: StudioErrorCode;
      retryAfterSeconds?: number;
      storage?: StorageUse;
      said?: StudioWords;
      cause?: unknown;
    },
  ) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.studioCode = options.studioCode;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.storage = options.storage;
    this.maybeSent = options.maybeSent;
    this.said = options.said;
  }
}
