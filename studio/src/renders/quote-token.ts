import { createHmac, hash, type KeyObject, timingSafeEqual } from 'node:crypto';

/** What a quote promises. Times in whole seconds since 1970 by the database's clock. */
export type Quoted = {
  account: string;
  /** SHA-256 of the request's canonical JSON. */
  digest: string;
  costMillicredits: number;
  outputs: number;
  moderated: boolean;
  expires: number;
  /** Of the model. `undefined` in quotes of the release before: the version that is published at the submit. */
  modelVersion: number | undefined;
};

/** Returns an opaque text that only this studio can make: the promise and its HMAC. */
export function signQuote(key: KeyObject, quoted: Quoted): string {
  const text = Buffer.from(
    JSON.stringify([
      quoted.account,
      quoted.digest,
      quoted.costMillicredits,
      quoted.outputs,
      quoted.moderated ? 1 : 0,
      quoted.expires,
      ...(quoted.modelVersion === undefined ? [] : [quoted.modelVersion]),
    ]),
  ).toString('base64url');
  return `${text}.${mac(key, text).toString('base64url')}`;
}

/**
 * Returns the promise of a quote that this studio signed, else `undefined`. The database's clock decides whether it has
 * expired. `submit-render.ts` compares the account and the request, and `studio/sql/functions/accept_renders.sql`
 * refuses.
 */
export function readQuote(key: KeyObject, quote: string): Quoted | undefined {
  const [text = '', signature = ''] = quote.split('.', 2);
  const given = Buffer.from(signature, 'base64url');
  const expected = mac(key, text);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const [account, digest, costMillicredits, outputs, moderated, expires, modelVersion] = JSON.parse(
    Buffer.from(text, 'base64url').toString('utf8'),
  ) as [string, string, number, number, number, number, number?];
  return { account, digest, costMillicredits, outputs, moderated: moderated === 1, expires, modelVersion };
}

/** Returns the same digest for equal requests, whatever the order of their fields. */
export function digestOf(request: unknown): string {
  return hash('sha256', canonicalJson(request), 'base64url');
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = value as Record<string, unknown>;
  let text = '';
  for (const name of Object.keys(fields).sort()) {
    const member = fields[name];
    if (member !== undefined)
      text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

function mac(key: KeyObject, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
