import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { JsonRefused, parseStrictJson } from './strict-json.ts';

const parse = (text: string, options = {}) => parseStrictJson(Buffer.from(text), options);
const refused = (text: string, path: string, message: RegExp) =>
  assert.throws(
    () => parse(text),
    (error) => error instanceof JsonRefused && error.path === path && message.test(error.message),
    text,
  );

test('every JSON text without repeated names means what JSON.parse says', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), (text) => {
      if (/__proto__|\\u/.test(text)) return;
      assert.deepEqual(parse(text), JSON.parse(text));
    }),
    { numRuns: 2_000 },
  );
});

test('strings full of quotes, backslashes and brackets are read as strings', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.string({ unit: fc.constantFrom('"', '\\', '{', '}', '[', ',', ':', 'a', 'é', '😀', '\n') }),
        fc.array(fc.string({ unit: fc.constantFrom('"', '\\', ']', '{', ',', 'u', '\t', '\u2028') })),
      ),
      (value) => {
        const text = JSON.stringify(value);
        assert.deepEqual(parse(text), JSON.parse(text));
        assert.deepEqual(parse(JSON.stringify(value, null, 2)), JSON.parse(text));
      },
    ),
    { numRuns: 2_000 },
  );
});

test('what is no JSON is refused, whatever it looks like', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'{}[],:"\\ua1') }), (text) => {
      let valid = true;
      try {
        JSON.parse(text);
      } catch {
        valid = false;
      }
      if (!valid) assert.throws(() => parse(text), JsonRefused);
    }),
    { numRuns: 5_000 },
  );
  for (const text of [
    '',
    ' ',
    '{',
    '}',
    ']',
    '"',
    '"\\',
    '{"a"',
    '{"a":}',
    '[1,]',
    '{"a":1,}',
    'NaN',
    '\u{feff}x',
    "{'a':1}",
  ])
    assert.throws(() => parse(text), JsonRefused, JSON.stringify(text));
});

test('a name that appears twice in one object is refused with its path', () => {
  refused('{"a":1,"a":2}', 'a', /more than once/);
  refused('{"a":1,"\\u0061":2}', 'a', /more than once/);
  refused('{"options":{"steps":1,"x":[1,{"y":1,"y":2}]}}', 'options.x[1].y', /more than once/);
  assert.deepEqual(parse('{"a":{"a":{"a":[{"a":1},{"a":2}]}}}'), { a: { a: { a: [{ a: 1 }, { a: 2 }] } } });
});

test('large texts are not searched for repeats', () => {
  assert.deepEqual(parse('{"a":1,"a":2}', { maxSearchedForRepeats: 5 }), { a: 2 });
});

test('names that reach into prototypes are refused', () => {
  refused('{"metadata":{"__proto__":"x"}}', 'metadata.__proto__', /not an allowed name/);
  refused('{"metadata":{"\\u005f_proto__":"x"}}', 'metadata.__proto__', /not an allowed name/);
  refused('{"constructor":{"prototype":{"x":1}}}', 'constructor.prototype', /not an allowed name/);
  assert.deepEqual(parse('{"constructor":"a","prototype":"b"}'), { constructor: 'a', prototype: 'b' });
  assert.deepEqual(parse('{"a":"__proto__"}'), { a: '__proto__' });
});

test('U+0000 and lone surrogates are refused in values and names', () => {
  refused('{"a":["x","\\u0000"]}', 'a[1]', /U\+0000/);
  refused('{"a":"\\ud83d"}', 'a', /surrogate/);
  refused('{"a":"\\ude00\\ud83d"}', 'a', /surrogate/);
  assert.throws(() => parse('{"\\u0000":1}'), /U\+0000/);
  assert.throws(() => parse('{"\\udfff":1}'), /surrogate/);
  assert.deepEqual(parse('{"a":"\\ud83d\\ude00"}'), { a: '😀' });
});

test('bytes that are no UTF-8 are refused', () => {
  for (const bytes of [
    [0x22, 0xff, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0x22, 0xc0, 0x80, 0x22],
  ])
    assert.throws(() => parseStrictJson(Uint8Array.from(bytes)), /UTF-8/);
});

test('depth is limited before anything is built', () => {
  assert.doesNotThrow(() => parse('['.repeat(32) + ']'.repeat(32)));
  assert.throws(() => parse('['.repeat(33) + ']'.repeat(33)), /deeper than 32/);
  assert.throws(() => parse('{"a":'.repeat(5_000_000)), /deeper than 32/);
});

test('the number of values is limited', () => {
  assert.doesNotThrow(() => parse(`[${'1,'.repeat(9_999)}1]`));
  assert.throws(() => parse(`[${'1,'.repeat(10_000)}1]`), /more than 10000 values/);
});
