import { hash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** A server with `@fastify/cookie`, which writes and reads cookies. */
export type CookieFormat = Pick<FastifyInstance, 'parseCookie' | 'serializeCookie'>;

/** One cookie of ours. Its name contains port and path, because browsers share the cookies of a host between ports. */
export type Cookie = {
  name: string;
  /** Returns the value that a request carries. */
  read: (request: IncomingMessage) => string | undefined;
  /** Returns the Set-Cookie line. `seconds`: until the browser deletes the cookie. */
  write: (value: string, seconds: number) => string;
  clear: () => string;
};

/**
 * Under https the name has the prefix `__Host-`: no other host and no page of plain http can have set it (RFC 6265bis
 * §4.1.3). Scripts can never read the cookie. From other sites browsers send it only when somebody follows a link.
 */
export function createCookie(format: CookieFormat, publicUrl: string, purpose: string): Cookie {
  const { protocol, port, pathname } = new URL(publicUrl);
  const secure = protocol === 'https:';
  const name = `${secure ? '__Host-' : ''}rk_${purpose}_${port === '' ? (secure ? 443 : 80) : port}${pathname.replaceAll('/', '_').replace(/_$/, '')}`;
  const line = (value: string, seconds: number) =>
    format.serializeCookie(name, value, {
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure,
      maxAge: seconds,
    });
  return {
    name,
    read: (request) => readCookies(format, request)[name],
    write: line,
    clear: () => line('', 0),
  };
}

/** Returns all cookies of a request by their names. */
export function readCookies(
  format: CookieFormat,
  request: IncomingMessage,
): Record<string, string | undefined> {
  return format.parseCookie(request.headers.cookie ?? '');
}

/** The cookie that holds the token of a session. */
export function sessionCookie(format: CookieFormat, publicUrl: string): Cookie {
  return createCookie(format, publicUrl, 'session');
}

const tokenBytes = 32;
const tokenShape = /^rks_[0-9A-Za-z_-]{43}$/;

/** Makes the token that a browser holds: 256 random bits. Only its hash is stored. */
export function newSessionToken(): string {
  return `rks_${randomBytes(tokenBytes).toString('base64url')}`;
}

/** Returns the SHA-256 in hexadecimal; `undefined` when the text does not have the shape of a token. */
export function hashOfToken(token: string | undefined): string | undefined {
  return token !== undefined && tokenShape.test(token) ? hash('sha256', token, 'hex') : undefined;
}
