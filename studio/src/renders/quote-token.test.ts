import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { test } from 'node:test';
import { readQuote, signQuote } from './quote-token.ts';

const key = createSecretKey(Buffer.alloc(32, 1));
const quoted = {
  account: 'acc_1',
  digest: 'digest',
  costMillicredits: 4_000,
  outputs: 2,
  moderated: true,
  expires: 1_800_000_000,
  modelVersion: 7,
};

test('a quote says what was promised, the version of its model too', () => {
  assert.deepEqual(readQuote(key, signQuote(key, quoted)), quoted);
});

test('a quote of the release before names no version', () => {
  const before = { ...quoted, modelVersion: undefined };
  const text = signQuote(key, before);
  assert.equal(
    (JSON.parse(Buffer.from(text.split('.')[0] ?? '', 'base64url').toString()) as unknown[]).length,
    6,
  );
  assert.deepEqual(readQuote(key, text), before);
});

test('a quote that somebody else made, or changed, is none', () => {
  const text = signQuote(key, quoted);
  assert.equal(readQuote(createSecretKey(Buffer.alloc(32, 2)), text), undefined);
  const cheaper = signQuote(key, { ...quoted, costMillicredits: 1 }).split('.')[0];
  assert.equal(readQuote(key, `${cheaper}.${text.split('.')[1]}`), undefined);
  assert.equal(readQuote(key, 'none'), undefined);
});
