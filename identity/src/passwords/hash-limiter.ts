import { createLimiter } from '@renderkit/server-kit/work/limiter.ts';
import { hashPassword, nobodysHash, verifyPassword } from './password.ts';

/** Each takes 19 MB and a thread of the pool for about 20 ms; more at the same time would only be slower. */
const computationsAtOnce = 2;
/** Two seconds of work. Later callers get an error and should try again. */
const waitingAtMost = 100;

/** Too many passwords wait to be checked. */
export class PasswordChecksBusy extends Error {
  override name = 'PasswordChecksBusy';
}

export type PasswordChecks = {
  /** @throws PasswordChecksBusy */
  hash: (password: string) => Promise<string>;
  /**
   * Returns whether the password matches. Without a hash (no such account), it returns `false` at the same cost.
   * @throws PasswordChecksBusy
   */
  verify: (password: string, hash: string | undefined) => Promise<boolean>;
};

/**
 * Checks only a few passwords at the same time, so that a burst exhausts neither memory nor threads.
 * `password-rules.ts` has the rules for a new password.
 */
export function createPasswordChecks(): PasswordChecks {
  const limiter = createLimiter({ slots: computationsAtOnce, waitingAtMost });
  const limited = async <T>(work: () => Promise<T>): Promise<T> => {
    using _ = await limiter.enter().catch((cause: unknown) => {
      throw new PasswordChecksBusy('too many passwords to look at', { cause });
    });
    return await work();
  };
  return {
    hash: (password) => limited(() => hashPassword(password)),
    verify: (password, hash) => limited(() => verifyPassword(password, hash ?? nobodysHash)),
  };
}
