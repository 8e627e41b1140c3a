import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJson, prettyJson } from './json.ts';

test('JSON is shown over several lines, and other text as it is', () => {
  assert.equal(prettyJson('{"a":1}'), '{\n  "a": 1\n}');
  assert.equal(prettyJson('<b>'), '<b>');
  assert.equal(prettyJson('null'), 'null');
});

test('text that is no JSON has no value', () => {
  assert.equal(parseJson('nonsense'), undefined);
  assert.equal(parseJson('null'), null);
});
