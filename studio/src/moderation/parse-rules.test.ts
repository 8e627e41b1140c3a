import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultRulesText, parseRules, RulesInvalid } from './parse-rules.ts';

test('the rules that a file is made with are rules', () => {
  assert.ok(parseRules(Buffer.from(defaultRulesText)).rules.length > 0);
});

test('what is wrong with a file is named with its line or its position', () => {
  const cases: [content: string | Uint8Array, message: RegExp][] = [
    ['{\n"rules": [\n1,\n]\n}', /^line 4 is no JSON: Unexpected token ']'$/],
    ['{"rules": [\n', /^line 2 is no JSON: Unexpected end of JSON input$/],
    ['{"rules": []\n"uploads": {}}', /^line 2 is no JSON: Expected ',' or '}' after property value$/],
    [`{"rules": [${'\n'.repeat(300)}'a']}`, /^line 301 is no JSON: Unexpected token '''$/],
    ['', /^the file is empty$/],
    [' \n\n', /^the file is empty$/],
    [Buffer.from([0x7b, 0xff, 0x7d]), /^the file is not valid UTF-8$/],
    ['[]', /^the whole must be an object with rules and uploads$/],
    ['null', /^the whole must be an object/],
    ['{}', /^rules must be a list$/],
    ['{"rules": 5}', /^rules must be a list$/],
    ['{"rules": [], "rules": []}', /^rules appears more than once$/],
    ['{"rules": [], "upload": {}}', /^upload is no field that rules have: rules, uploads$/],
    ['{"rules": [{"phrases": ["a"]}]}', /^rules\[0\]\.reason must be a text$/],
    ['{"rules": [{"reason": "a"}]}', /^rules\[0\]\.phrases must be a list$/],
    [
      '{"rules": [{"reason": "a", "phrases": ["b", "--"]}]}',
      /^rules\[0\]\.phrases\[1\] must be a text with letters/,
    ],
    ['{"rules": [], "uploads": {"rules": []}}', /^uploads\.slow must be a list$/],
    [
      '{"rules": [], "uploads": {"rules": [{"reason": "a", "phrases": [], "sha256": ["xy"]}], "slow": []}}',
      /^uploads\.rules\[0\]\.sha256\[0\] must be a SHA-256 in 64 lower-case hexadecimal characters$/,
    ],
    [
      '{"rules": [], "uploads": {"rules": [], "slow": [{"phrases": ["a"], "seconds": 601}]}}',
      /^uploads\.slow\[0\]\.seconds must be a number from 0 to 600$/,
    ],
  ];
  for (const [content, message] of cases)
    assert.throws(
      () => parseRules(Buffer.from(content)),
      (error: Error) => {
        assert.ok(error instanceof RulesInvalid);
        assert.match(error.message, message);
        return true;
      },
    );
});

test('a byte order mark before the rules is no mistake', () => {
  assert.deepEqual(parseRules(Buffer.from('\u{feff}{"rules": []}')).rules, []);
});
