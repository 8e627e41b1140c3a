import type { IncomingMessage } from 'node:http';
import { type KeyProof, proofOf } from '../identity/keys/key-text.ts';

const schemes = /^(?:bearer|key|token) +(\S+)$/i;
const basic = /^basic +([A-Za-z0-9+/=]+)$/i;

/**
 * Reads the API key in any form that a foreign client sends: `Authorization: Bearer`, `Key`, `Token`, or `Basic` with
 * the key as user or password; `X-API-Key`; `api-key`. Returns undefined where there is none, or where two differ.
 */
export function readFacadeKey({ headers }: IncomingMessage): KeyProof | undefined {
  const given = [
    ...(headers.authorization === undefined ? [] : [keyOfAuthorization(headers.authorization)]),
    ...['x-api-key', 'api-key'].flatMap((name) => headers[name] ?? []),
  ];
  const [key] = given;
  return key === undefined || given.some((other) => other !== key) ? undefined : proofOf(key);
}

/** Returns the key of an Authorization header; empty where there is none. */
function keyOfAuthorization(text: string): string {
  const token = schemes.exec(text)?.[1];
  if (token !== undefined) return token;
  const encoded = basic.exec(text)?.[1];
  if (encoded === undefined) return '';
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  const [user, password] = [pair.slice(0, colon === -1 ? undefined : colon), pair.slice(colon + 1)];
  return proofOf(user) === undefined ? password : user;
}
