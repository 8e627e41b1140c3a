import { isIP } from 'node:net';
import type { IdentityStore, Subject } from '../identity-store.ts';

const windowSeconds = 15 * 60;

/** Tries within a window; of those to sign in the failed ones. */
export const limits = {
  /** Of one account from one network: somebody who has forgotten, or who guesses. */
  accountFromAddress: 10,
  /** Of one account from anywhere: a guesser with many networks. */
  account: 50,
  /** Of any accounts from one network, which may be a whole office. */
  address: 100,
  /** Accounts made from one network, or tried to be. */
  signUps: 10,
  /** Sign-ins begun from one network: each leaves a row behind for an hour. */
  begun: 600,
} as const;

/** The try may go on, or the seconds after which one may. */
export type Admission =
  | { admitted: true; forgive: () => Promise<void> }
  | { admitted: false; retryAfterSeconds: number };

/**
 * Counts a try to sign in, whether there is such an account or not. What a network is refused is no guess at the account
 * and does not count there: or one network alone could keep everybody else out of it, and fill a table with names.
 */
export async function admitSignIn(store: IdentityStore, email: string, address: string): Promise<Admission> {
  const network = networkOf(address);
  return admit(store, [
    { of: ['address', network], max: limits.address },
    { of: ['account and address', email, network], max: limits.accountFromAddress },
    { of: ['account', email], max: limits.account },
  ]);
}

/** Counts a try to make an account. */
export async function admitSignUp(store: IdentityStore, address: string): Promise<Admission> {
  return admit(store, [{ of: ['sign-up', networkOf(address)], max: limits.signUps }]);
}

/** Counts a sign-in that is begun, by whomever. Undefined when it may go on, else the seconds to wait. */
export async function admitBegin(store: IdentityStore, address: string): Promise<number | undefined> {
  return store.countAttempt({ of: ['begun', networkOf(address)], max: limits.begun }, windowSeconds);
}

/** The first that refuses is the last that counts. */
async function admit(store: IdentityStore, subjects: readonly Subject[]): Promise<Admission> {
  for (const subject of subjects) {
    const retryAfterSeconds = await store.countAttempt(subject, windowSeconds);
    if (retryAfterSeconds !== undefined) return { admitted: false, retryAfterSeconds };
  }
  return { admitted: true, forgive: () => store.forgiveAttempt(subjects) };
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
