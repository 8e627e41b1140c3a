import { openSession } from '../src/identity/sessions/open-session.ts';
import { type Answer, askAt, type Ask, type TestService } from './harness.ts';

/** A signed-in browser, as far as its cookie goes. */
export type ConsoleBrowser = {
  sessionId: string;
  cookie: string;
  ask: <Body = Record<string, unknown>>(path: string, ask?: Ask) => Promise<Answer<Body>>;
};

/** The cookie's name under the public address that tests give to a service. */
export const cookieName = '__Host-rk_session_443';

/** What a browser sends along with what the console itself asks for. */
export const fromConsole = { 'sec-fetch-site': 'same-origin' };

/** A session of an account, made as signing in makes it. */
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
