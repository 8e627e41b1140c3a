import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import type { Login, Session } from 'oidc-provider';
import type { Proof } from '../passwords/check-password.ts';
import { cookiesOf } from './cookies.ts';

export type Browser = readonly [IncomingMessage, ServerResponse];

/**
 * Returns the mark by which a session names the password that it began with. It is stored as `acr`, the only field of a
 * login that oidc-provider stores and, without `acr_values`, does not show to clients. Older sessions have no mark;
 * they began with the account's first password. `findPayload` in `studio/src/identity/store.ts` finds no session with
 * another mark.
 */
export function sessionMark(passwordVersion: number): string {
  return String(passwordVersion);
}

/** Returns a sign-in in the form that the provider requires. */
export function loginOf({ accountId, passwordVersion }: Proof): Login {
  return { accountId, amr: ['pwd'], acr: sessionMark(passwordVersion) };
}

/** Returns the browser's session, signed in or not. */
export async function sessionOf(provider: Provider, browser: Browser): Promise<Session> {
  return provider.Session.get(provider.createContext(...browser));
}

/**
 * Keeps a browser signed in after it has set a new password. The session gets a new cookie, so that a copy of the old
 * one is useless. `session` was read before the change, which has ended the stored session.
 */
export async function renewSession(
  provider: Provider,
  browser: Browser,
  { session, proof, publicUrl }: { session: Session; proof: Proof; publicUrl: string },
): Promise<void> {
  const { long } = cookiesOf([], new URL(publicUrl));
  session.resetIdentifier();
  session.loginAccount(loginOf(proof));
  await session.persist();
  const { cookies } = provider.createContext(...browser);
  // Behind a proxy, the request itself arrived without TLS.
  cookies.secure = long.secure;
  const expires = session.exp === undefined ? undefined : new Date(session.exp * 1000);
  cookies.set(provider.cookieName('session'), session.jti, { ...long, expires });
}
