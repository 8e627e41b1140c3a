import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { InvalidJson } from './invalid-json.ts';
import { type JsonLimits, JsonScan, type ScannedJson } from './json-scan.ts';
import { textLimitsOf } from './text-limits.ts';

const schema = {
  properties: {
    prompt: { maxLength: 10 },
    mask: { maxLength: 100_000 },
    tags: { items: { maxLength: 3 } },
    notes: { additionalProperties: { maxLength: 5 } },
  },
};
const limits: JsonLimits = {
  maxDepth: 32,
  maxValues: 10_000,
  maxNumberCharacters: 40,
  maxContentBytes: 50_000,
  maxGatheredBytes: 50_000,
  texts: textLimitsOf(schema, 1_000),
};

/** Scans a text in pieces of this many bytes. */
function scan(text: string | Uint8Array, more: Partial<JsonLimits> = {}, bytesAtOnce = 7): ScannedJson {
  const bytes = Buffer.from(text);
  const reading = new JsonScan({ ...limits, ...more }, bytes.length);
  for (let i = 0; i < bytes.length; i += bytesAtOnce) reading.add(bytes.subarray(i, i + bytesAtOnce));
  return reading.end();
}

const parse = (text: string, more: Partial<JsonLimits> = {}) => scan(text, more).value;
const refused = (text: string, path: string, message: RegExp) =>
  assert.throws(
    () => parse(text),
    (error) =>
      error instanceof InvalidJson && error.issues[0]?.path === path && message.test(error.issues[0].message),
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
      if (!valid) assert.throws(() => parse(text), InvalidJson);
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
    assert.throws(() => parse(text), InvalidJson, JSON.stringify(text));
});

test('a name that appears twice in one object is refused with its path', () => {
  refused('{"a":1,"a":2}', 'a', /more than once/);
  refused('{"a":1,"\\u0061":2}', 'a', /more than once/);
  refused('{"options":{"steps":1,"x":[1,{"y":1,"y":2}]}}', 'options.x[1].y', /more than once/);
  assert.deepEqual(parse('{"a":{"a":{"a":[{"a":1},{"a":2}]}}}'), { a: { a: { a: [{ a: 1 }, { a: 2 }] } } });
});

test('large texts are not searched for repeats', () => {
  assert.deepEqual(parse('{"a":1,"a":2}', { maxGatheredBytes: 5 }), { a: 2 });
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
    [0x22, 0xf0, 0x9f, 0x98, 0x22],
    [0x22, 0xe2, 0x82],
    [0x22, 0x80, 0x22],
  ])
    for (const atOnce of [1, 2, 3, 7]) assert.throws(() => scan(Uint8Array.from(bytes), {}, atOnce), /UTF-8/);
});

test('depth is limited before anything is built', () => {
  assert.doesNotThrow(() => parse('['.repeat(32) + ']'.repeat(32)));
  assert.throws(() => parse('['.repeat(33) + ']'.repeat(33)), /deeper than 32/);
  assert.throws(() => parse('{"a":'.repeat(5_000)), /deeper than 32/);
});

test('the number of values is limited', () => {
  assert.doesNotThrow(() => parse(`[${'1,'.repeat(9_998)}1]`));
  assert.throws(() => parse(`[${'1,'.repeat(9_999)}1]`), /more than 10000 values/);
});

test('it does not matter where a text is cut into pieces', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), fc.integer({ min: 1, max: 9 }), (text, atOnce) => {
      if (/__proto__|\\u/.test(text)) return;
      assert.deepEqual(scan(` ${text}\n`, {}, atOnce).value, JSON.parse(text));
    }),
    { numRuns: 1_000 },
  );
});

test('a long text is what JSON.parse makes of it, and is left out of the rest', () => {
  const characters = fc.string({
    unit: fc.constantFrom('"', '\\', '/', 'a', 'é', '€', '😀', '\n', '\u0001', '\u2028', ' '),
    maxLength: 40,
  });
  const escaped = (text: string) =>
    JSON.stringify(text).replaceAll(/[^"\\ -~]/g, (unit) =>
      [...unit].map(() => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
    );
  fc.assert(
    fc.property(characters, fc.boolean(), fc.integer({ min: 1, max: 9 }), (mask, escapes, atOnce) => {
      const literal = escapes ? escaped(mask) : JSON.stringify(mask);
      const { value, longTexts } = scan(`{"a":1, "mask" :${literal} ,"b":[2]}`, {}, atOnce);
      assert.deepEqual(value, { a: 1, mask: '', b: [2] });
      assert.equal(longTexts.get('mask'), mask);
    }),
    { numRuns: 2_000 },
  );
  assert.equal(scan('{"mask":"\\/\\u002b\\uD83D\\uDE00"}').longTexts.get('mask'), '/+😀');
  refused('{"mask":"\\u0000"}', 'mask', /U\+0000/);
  refused('{"mask":"\\ud83da"}', 'mask', /surrogate/);
  refused('{"mask":"a\nb"}', '', /not valid JSON/);
  refused('{"mask":"\\x"}', '', /not valid JSON/);
  refused('{"mask":"a"', '', /not valid JSON/);
});

test('what ends plain text is seen at every place of a text that is long', () => {
  const lengths: Partial<JsonLimits> = {
    texts: textLimitsOf({ properties: { text: { maxLength: 899 } } }, 1_000),
  };
  const units = ['\\"', '\\\\', '\\u00e9', 'é', '€', '😀', '\u007f', ' ', '#', '[', ']', '!'];
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 898 }),
      fc.constantFrom(...units),
      fc.constantFrom('a', 'é', '~', ' '),
      fc.integer({ min: 1, max: 2_000 }),
      (at, unit, plain, atOnce) => {
        const textOf = (length: number) =>
          `{"text":"${plain.repeat(at)}${unit}${plain.repeat(length - at - 1)}"}`;
        assert.deepEqual(scan(textOf(899), lengths, atOnce).value, JSON.parse(textOf(899)));
        const [issue] = scan(textOf(900), lengths, atOnce).issues;
        assert.deepEqual([issue?.path, issue?.message], ['text', 'must be at most 899 characters']);
        const broken = `{"text":"${plain.repeat(at)}\n${plain.repeat(899 - at)}"}`;
        assert.throws(() => scan(broken, lengths, atOnce), InvalidJson);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('a long text is one by its position: elsewhere it is like any other', () => {
  assert.deepEqual(parse('{"notes":{"mask":"x"}}'), { notes: { mask: 'x' } });
  assert.deepEqual(parse('[{"mask":"x"}]'), [{ mask: 'x' }]);
  assert.deepEqual(scan('{"mask":5}').value, { mask: 5 });
});

test('of two long texts of one name the last counts, where two are not refused', () => {
  const twice = (second: string) => scan(`{"mask":"a","mask":${second}}`, { maxGatheredBytes: 5 });
  assert.equal(twice('"b"').longTexts.get('mask'), 'b');
  assert.deepEqual([twice('5').value, twice('5').longTexts.size], [{ mask: 5 }, 0]);
});

test('texts longer than their position allows and long numbers are reported with their paths', () => {
  const issuesOf = (text: string) => scan(text).issues.map(({ path, message }) => `${path}: ${message}`);
  assert.deepEqual(
    issuesOf(
      `{"prompt":"${'x'.repeat(11)}","tags":["abc","abcd"],"notes":{"a":"123456"},"cfg":1${'0'.repeat(40)}}`,
    ),
    [
      'prompt: must be at most 10 characters',
      'tags[1]: must be at most 3 characters',
      'notes.a: must be at most 5 characters',
      'cfg: must be a number of at most 40 characters',
    ],
  );
  assert.deepEqual(issuesOf(`{"x":"${'x'.repeat(1_001)}"}`), ['x: must be at most 1000 characters']);
  assert.deepEqual(
    issuesOf(
      `{"prompt":"${'😀'.repeat(10)}","x":"${'\\ud83d\\ude00'.repeat(1_000)}","cfg":-0.${'1'.repeat(37)}}`,
    ),
    [],
  );
});

test('in a large text the first of them ends the reading', () => {
  const reading = new JsonScan(limits);
  assert.throws(
    () => {
      reading.add(Buffer.from('{"options":{"steps":1'));
      for (let i = 0; i < 1_000; i++) reading.add(Buffer.alloc(1_000, '1'));
    },
    (error) => error instanceof InvalidJson && error.issues[0]?.path === 'options.steps',
  );
  refused(`{"prompt":"${'x'.repeat(60_000)}`, 'prompt', /at most 10 characters/);
});

test('what is kept for the parser is limited, and white space is not kept', () => {
  const many = `{${Array.from({ length: 60 }, (_, i) => `"${String(i).repeat(999)}":1`).join()}}`;
  refused(many, '', /holds more than 50000 bytes/);
  assert.deepEqual(parse(`[1,${' \n'.repeat(200_000)}2]`), [1, 2]);
  refused('[1 2]', '', /not valid JSON/);
  refused('{"a":tru e}', '', /not valid JSON/);
  refused(`[${'n'.repeat(50)}`, '', /not valid JSON/);
});

test('a byte order mark in front is no part of the text', () => {
  assert.deepEqual(parse('\u{feff}{"a":1}'), { a: 1 });
  refused('{\u{feff}}', '', /not valid JSON/);
  refused('\u{feff}\u{feff}{}', '', /not valid JSON/);
});

test('the limits of a schema are the most generous of its parts', () => {
  const combined = {
    properties: { kind: {}, a: { maxLength: 1 } },
    allOf: [
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      { then: { properties: { a: { maxLength: 9 }, b: { anyOf: [{ maxLength: 4 }, { type: 'null' }] } } } },
    ],
    patternProperties: { '^.*$': { maxLength: 7 } },
  };
  const { names, others, items } = textLimitsOf(combined, 3);
  assert.deepEqual(
    [
      names.get('a')?.maxTextCharacters,
      names.get('b')?.maxTextCharacters,
      names.get('kind')?.maxTextCharacters,
      others.maxTextCharacters,
      items.maxTextCharacters,
    ],
    [9, 4, 3, 7, 3],
  );
  assert.equal(others.items.names.size, 0);
});
