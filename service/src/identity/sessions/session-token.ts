import { hash, randomBytes } from 'node:crypto';

const tokenBytes = 32;
const tokenShape = /^rks_[0-9A-Za-z_-]{43}$/;

/** What a browser holds: 256 random bits. Only its hash is kept. */
export function newSessionToken(): string {
  return `rks_${randomBytes(tokenBytes).toString('base64url')}`;
}

/** SHA-256 in hexadecimal; undefined where the text has not the shape of a token. */
export function hashOfToken(token: string | undefined): string | undefined {
  return token !== undefined && tokenShape.test(token) ? hash('sha256', token, 'hex') : undefined;
}
