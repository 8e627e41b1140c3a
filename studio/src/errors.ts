import { type StudioErrorCode, studioErrors } from '@renderkit/contract/studio/errors.ts';

/** A refusal of a call, told to the caller as `{code, message}` with the code's status. */
export class StudioError extends Error {
  override name = 'StudioError';
  readonly code: StudioErrorCode;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: StudioErrorCode,
    message: string,
    options: ErrorOptions & { retryAfterSeconds?: number } = {},
  ) {
    super(message, options);
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return studioErrors[this.code].status;
  }
}
