import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isObject, jsonLimits, JsonError, readJson, writeJson } from './json.ts';

test('an integer beyond 2^53 keeps all of its digits, there and back', () => {
  const text = '{"seed":18446744073709551615,"other":-9223372036854775807,"small":9007199254740991}';
  const value = readJson(text);
  assert.ok(isObject(value));
  assert.equal(value.get('seed'), 18446744073709551615n);
  assert.equal(value.get('small'), 9007199254740991);
  assert.equal(writeJson(value), text);
});

test('NaN and the infinities of Python are null', () => {
  assert.equal(
    writeJson(readJson('[NaN, Infinity, -Infinity, 1e999, -1e-2]')),
    '[null,null,null,null,-0.01]',
  );
});

test('keys keep their order, numbers among them, and __proto__ is a key like any other', () => {
  const text = '{"9":1,"3":{"__proto__":2},"constructor":null}';
  assert.equal(writeJson(readJson(text)), text);
});

test('what JSON.parse reads is read the same, and what it refuses is refused', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      assert.deepEqual(JSON.parse(writeJson(readJson(text))), JSON.parse(text));
    }),
  );
  for (const broken of [
    '',
    '{',
    '[1,]',
    '{"a"}',
    '"\n"',
    '01',
    '1.',
    '+1',
    "'a'",
    '[1] 2',
    '"\\x"',
    '"\\u12"',
    'nul',
  ]) {
    assert.throws(() => JSON.parse(broken));
    assert.throws(() => readJson(broken), JsonError, broken);
  }
});

test('a text that is too long, too deep or too large is refused, whatever it holds', () => {
  assert.throws(() => readJson('['.repeat(100_000)), /nested too deeply/);
  assert.throws(() => readJson(`"${'x'.repeat(50)}"`, { ...jsonLimits, maxLength: 20 }), /too long/);
  assert.throws(() => readJson('[1,2,3,4,5,6]', { ...jsonLimits, maxValues: 5 }), /too many values/);
  assert.throws(() => readJson('9'.repeat(100_000)), /too many digits/);
});
