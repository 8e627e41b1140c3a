import { isIP } from 'node:net';
import type { IdentityStore, Subject } from '../identity-store.ts';

const windowSeconds = 15 * 60;

/**
 * Limits of tries within a window. For sign-in, only failed tries count. `countAttempt` in
 * `studio/src/identity/store.ts` counts.
 */
export const limits = {
  /** For one account from one network: a person who has forgotten the password, or an attacker. */
  accountFromAddress: 10,
  /** For one account from all networks: an attacker with many networks. */
  account: 50,
  /** For all accounts from one network, which may be a whole office. */
  address: 100,
  /** Accounts that one network created or tried to create. */
  signUps: 10,
  /** Sign-ins begun from one network: each stores a row for an hour. */
  begun: 600,
} as const;

/** The try is allowed, or the seconds until the next one is. */
export type Admission =
  | { admitted: true; forgive: () => Promise<void> }
  | { admitted: false; retryAfterSeconds: number };

/**
 * Counts a try to sign in, whether the account exists or not. A try that the network's limit refuses does not count for
 * the account. Otherwise one network could lock everybody else out of the account, and fill a table with names.
 */
export async function admitSignIn(store: IdentityStore, email: string, address: string): Promise<Admission> {
  const network = networkOf(address);
  return admit(store, [
    { of: ['address', network], max: limits.address },
    { of: ['account and address', email, network], max: limits.accountFromAddress },
    { of: ['account', email], max: limits.account },
  ]);
}

/** Counts a try to create an account. */
export async function admitSignUp(store: IdentityStore, address: string): Promise<Admission> {
  return admit(store, [{ of: ['sign-up', networkOf(address)], max: limits.signUps }]);
}

/** Counts the start of a sign-in from a network. Returns `undefined` when it may go on, else the seconds to wait. */
export async function admitBegin(store: IdentityStore, address: string): Promise<number | undefined> {
  return store.countAttempt({ of: ['begun', networkOf(address)], max: limits.begun }, windowSeconds);
}

/** Counts the subjects in order, and stops at the first one that refuses. */
async function admit(store: IdentityStore, subjects: readonly Subject[]): Promise<Admission> {
  for (const subject of subjects) {
    const retryAfterSeconds = await store.countAttempt(subject, windowSeconds);
    if (retryAfterSeconds !== undefined) return { admitted: false, retryAfterSeconds };
  }
  return { admitted: true, forgive: () => store.forgiveAttempt(subjects) };
}

/** Returns the network of an address. An IPv6 address counts by its /64, which is the size that one connection gets. */
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
