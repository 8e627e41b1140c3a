import type { StorageUse } from '@renderkit/contract/studio/storage.ts';
import type { StudioErrorCode } from '@renderkit/contract/studio/errors.ts';

const studioFailureKinds = [
  /** Out of reach, in maintenance, overloaded. */
  'unavailable',
  /** It did not answer in time. */
  'timeout',
  /** It answered something that the contract does not know. */
  'nonsense',
  /** It limits the account. */
  'rate_limited',
  /** The account's session there has ended; only its owner can begin a new one. */
  'connection_expired',
  /** It refused the call with a code of the contract. */
  'refused',
] as const;
export type StudioFailureKind = (typeof studioFailureKinds)[number];

/** The message of a refusal, and of each field that is at fault. */
export type StudioWords = { message: string; errors: { field: string; message: string }[] };

/** A call to the studio that brought no usable answer. The message is for logs: it may quote the studio. */
export class StudioFailure extends Error {
  override name = 'StudioFailure';
  readonly kind: StudioFailureKind;
  /** The code that the studio itself gave; undefined where somebody before it answered, or nobody. */
  readonly studioCode: StudioErrorCode | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** What it says is used of how much, with `storage_full`. */
  readonly storage: StorageUse | undefined;
  /** False only where certainly nothing of the call reached the studio. */
  readonly maybeSent: boolean;
  /** What it says to people, with a code of the contract; only for those who administer it. */
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
