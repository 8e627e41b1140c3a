import { openSession } from '../src/identity/sessions/open-session.ts';
import { type Answer, askAt, type Ask, type TestService } from './harness.ts';

/** A signed-in browser: only its cookie. */
export type ConsoleBrowser = {
  sessionId: string;
  cookie: string;
  ask: <Body = Record<string, unknown>>(path: string, ask?: Ask) => Promise<Answer<Body>>;
};

/** The cookie's name for the public address that tests use. */
export const cookieName = '__Host-rk_session_443';

/** The header that a browser adds to requests of the console itself. */
export const fromConsole = { 'sec-fetch-site': 'same-origin' };

/** Opens a session of an account in the same way as a sign-in. */
export async function openBrowser(
  service: TestService,
  accountId: string = service.accountId,
  /** When the person proved who they are, in seconds since 1970. */
  authenticatedAt?: number,
): Promise<ConsoleBrowser> {
  const { sessionId, token } = await service.database.transaction((transaction) =>
    openSession(transaction, {
      accountId,
      email: 'person@example.org',
      userAgent: 'a browser',
      address: '127.0.0.1',
      previousToken: undefined,
      authenticatedAt,
    }),
  );
  const cookie = `${cookieName}=${token}`;
  return {
    sessionId,
    cookie,
    ask: (path, ask = {}) =>
      askAt(service.url, path, { ...ask, headers: { cookie, ...fromConsole, ...ask.headers } }),
  };
}
