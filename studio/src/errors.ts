import { type StudioErrorCode, studioErrors } from '@renderkit/contract/studio/errors.ts';
import type { StorageUse } from '@renderkit/contract/studio/storage.ts';

export type FieldError = { field: string; message: string };

/**
 * A refusal of a call, answered as `{code, message}` with the code's status. `contract/studio/errors.ts` has the
 * statuses. `studio/src/http/create-server.ts` makes a `StudioError` of other errors.
 */
export class StudioError extends Error {
  override name = 'StudioError';
  readonly code: StudioErrorCode;
  readonly retryAfterSeconds: number | undefined;
  /** Only with `storage_full`: answered as `storage`. */
  readonly storage: StorageUse | undefined;
  /** The invalid fields of the request, for administrators: answered as `errors`. */
  readonly errors: readonly FieldError[] | undefined;

  constructor(
    code: StudioErrorCode,
    message: string,
    options: ErrorOptions & {
      retryAfterSeconds?: number;
      storage?: StorageUse;
      errors?: readonly FieldError[];
    } = {},
  ) {
    super(message, options);
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.storage = options.storage;
    this.errors = options.errors;
  }

  get status(): number {
    return studioErrors[this.code].status;
  }
}
