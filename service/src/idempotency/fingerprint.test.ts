import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalJson, fingerprint } from './fingerprint.ts';

const print = (text: string) => fingerprint('POST', '/v1/images/generations', JSON.parse(text));

test('the writing of a body does not matter, what it says does', () => {
  assert.equal(print('{"a":1,"b":[true,null]}'), print(' { "b" : [ true , null ] , "\\u0061" : 1.0 } '));
  assert.equal(print('{"a":100}'), print('{"a":1e2}'));
  assert.notEqual(print('{"a":1}'), print('{"a":"1"}'));
  assert.notEqual(print('{"a":[1,2]}'), print('{"a":[2,1]}'));
  assert.notEqual(print('{}'), print('{"a":null}'));
});

test('method and path are part of the request', () => {
  assert.notEqual(
    fingerprint('POST', '/v1/images/generations', {}),
    fingerprint('POST', '/v1/images/edits', {}),
  );
});

test('names are ordered at every depth by their UTF-16 code units', () => {
  const value = JSON.parse('{"\\ud83d\\ude00":1,"\\ufb33":2,"z":{"b":1,"a":2}}');
  assert.equal(canonicalJson(value), '{"z":{"a":2,"b":1},"\ud83d\ude00":1,"\ufb33":2}');
});
