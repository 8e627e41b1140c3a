import type { IncomingMessage } from 'node:http';
import { type KeyProof, proofOf } from '../keys/key-text.ts';

const bearer = /^bearer +/i;

/**
 * The API key that a request carries (docs/api.md §5): `Authorization: Bearer …` or `X-API-Key`, or the same key in
 * both. Undefined where there is none, its shape is wrong, or two differ.
 */
export function readKey(request: IncomingMessage): KeyProof | undefined {
  const { authorization, 'x-api-key': header } = request.headers;
  if (authorization !== undefined && isRepeated(request.rawHeaders, 'authorization')) return undefined;
  const fromBearer = authorization?.replace(bearer, '');
  if (authorization !== undefined && fromBearer === authorization) return undefined;
  const key = fromBearer ?? header;
  // Node joins a repeated X-API-Key with commas, which no key has.
  if (typeof key !== 'string' || (header !== undefined && header !== key)) return undefined;
  return proofOf(key);
}

// Node keeps the first of several and says nothing; a proxy in front of us may have judged by the last.
function isRepeated(rawHeaders: readonly string[], name: string): boolean {
  let seen = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const raw = rawHeaders[i] as string;
    if (raw.length === name.length && raw.toLowerCase() === name) seen++;
  }
  return seen > 1;
}
