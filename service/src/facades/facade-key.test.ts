import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { newKeyText } from '../identity/keys/key-text.ts';
import { readFacadeKey } from './facade-key.ts';

const { key, proof } = newKeyText();
const other = newKeyText().key;
const read = (headers: Record<string, string | undefined>) =>
  readFacadeKey({ headers } as unknown as IncomingMessage);
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

test('a key is taken in every form in which clients send one', () => {
  for (const headers of [
    { authorization: `Bearer ${key}` },
    { authorization: `Key ${key}` },
    { authorization: `token ${key}` },
    { authorization: basic(`x:${key}`) },
    { authorization: basic(`${key}:`) },
    { authorization: basic(key) },
    { 'x-api-key': key },
    { 'api-key': key },
    { authorization: `Bearer ${key}`, 'api-key': key },
  ])
    assert.deepEqual(read(headers), proof, JSON.stringify(Object.keys(headers)));
});

test('no key, another thing, and two that differ are none', () => {
  for (const headers of [
    {},
    { authorization: key },
    { authorization: 'Bearer sk-something' },
    { authorization: basic('user:password') },
    { authorization: `Bearer ${key}`, 'x-api-key': other },
    { authorization: 'Digest x', 'x-api-key': key },
  ])
    assert.equal(read(headers), undefined, JSON.stringify(headers));
});
