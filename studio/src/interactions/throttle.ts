import { isIP } from 'node:net';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { countAttempt, forgiveAttempt, type Subject } from './store.ts';

const windowSeconds = 15 * 60;

/** Tries within a window; of those to sign in the failed ones. */
export const limits = {
  /** Of one account from one place: somebody who has forgotten, or who guesses. */
  accountFromAddress: 10,
  /** Of one account from anywhere: a guesser with many places. */
  account: 50,
  /** Of any accounts from one place, which may be a whole office. */
  address: 100,
  /** Accounts made from one place, or tried to be. */
  signUps: 10,
  /** Sign-ins begun from one place: each leaves a row behind for an hour. */
  begun: 600,
} as const;

/** The try may go on, or the seconds after which one may. */
export type Admission =
  | { admitted: true; forgive: () => Promise<void> }
  | { admitted: false; retryAfterSeconds: number };

/**
 * Counts a try to sign in, whether there is such an account or not. What a place is refused is no guess at the account
 * and does not count there: or one place alone could keep everybody else out of it, and fill a table with names.
 */
export async function admitSignIn(database: Database, email: string, address: string): Promise<Admission> {
  const place = networkOf(address);
  return admit(database, [
    { of: ['address', place], most: limits.address },
    { of: ['account and address', email, place], most: limits.accountFromAddress },
    { of: ['account', email], most: limits.account },
  ]);
}

/** Counts a try to make an account. */
export async function admitSignUp(database: Database, address: string): Promise<Admission> {
  return admit(database, [{ of: ['sign-up', networkOf(address)], most: limits.signUps }]);
}

/** Counts a sign-in that is begun, by whomever. Undefined when it may go on, else the seconds to wait. */
export async function admitBegin(database: Database, address: string): Promise<number | undefined> {
  return countAttempt(database, { of: ['begun', networkOf(address)], most: limits.begun }, windowSeconds);
}

/** The first that refuses is the last that counts. */
async function admit(database: Database, subjects: readonly Subject[]): Promise<Admission> {
  for (const subject of subjects) {
    const retryAfterSeconds = await countAttempt(database, subject, windowSeconds);
    if (retryAfterSeconds !== undefined) return { admitted: false, retryAfterSeconds };
  }
  return { admitted: true, forgive: () => forgiveAttempt(database, subjects) };
}

/** An IPv6 address counts by its /64, which is what one connection is given. */
export function networkOf(address: string): string {
  const [bare = ''] = address.split('%');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  if (isIP(bare) !== 6) return bare;
  const [head = '', tail] = bare.split('::');
  const groups = (part: string | undefined) => (part ? part.split(':') : []);
  const front = groups(head);
  const back = groups(tail);
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - front.length - back.length }, () => '0');
  return [...front, ...zeros, ...back]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
