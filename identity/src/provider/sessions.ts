import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import type { Login, Session } from 'oidc-provider';
import type { Proof } from '../passwords/check-password.ts';
import { cookiesOf } from './cookies.ts';

export type Browser = readonly [IncomingMessage, ServerResponse];

/**
 * How a session names the password that it began with. It is kept in the one field of a login that oidc-provider stores
 * and, without `acr_values`, tells no client. Sessions of before have none, and began with an account's first password.
 */
export function sessionMark(passwordVersion: number): string {
  return String(passwordVersion);
}

/** A sign-in, as the provider wants it. */
export function loginOf({ accountId, passwordVersion }: Proof): Login {
  return { accountId, amr: ['pwd'], acr: sessionMark(passwordVersion) };
}

/** The browser's session, signed in or not. */
export async function sessionOf(provider: Provider, browser: Browser): Promise<Session> {
  return provider.Session.get(provider.createContext(...browser));
}

/**
 * Lets a browser stay signed in after it has set a new password: the same session under a new cookie, so that a copy of
 * the old one opens nothing. `session` was read before the change, which has ended it.
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
  // Behind a proxy the request itself came without TLS.
  cookies.secure = long.secure;
  const expires = session.exp === undefined ? undefined : new Date(session.exp * 1000);
  cookies.set(provider.cookieName('session'), session.jti, { ...long, expires });
}
