import { createLimiter } from '@renderkit/server-kit/work/limiter.ts';
import { hashPassword, nobodysHash, verifyPassword } from './password.ts';

/** Each takes 19 MB and a thread of the pool for some 20 ms; more at once would only be slower. */
const computationsAtOnce = 2;
/** Two seconds of work: whoever comes later is better told to come again. */
const waitingAtMost = 100;

/** Too many passwords wait to be looked at. */
export class PasswordChecksBusy extends Error {
  override name = 'PasswordChecksBusy';
}

export type PasswordChecks = {
  /** @throws PasswordChecksBusy */
  hash: (password: string) => Promise<string>;
  /** Without a hash, for an account that does not exist, it costs the same and is false. @throws PasswordChecksBusy */
  verify: (password: string, hash: string | undefined) => Promise<boolean>;
};

/** Passwords looked at a few at a time, so that a burst exhausts neither memory nor threads. */
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
