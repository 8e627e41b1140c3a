import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { canonicalJson, fingerprint } from './idempotency-key.ts';

const fingerprintOf = (text: string) => fingerprint('POST', '/v1/images/generations', JSON.parse(text));

test('the writing of a body does not matter, what it says does', async () => {
  assert.equal(
    await fingerprintOf('{"a":1,"b":[true,null]}'),
    await fingerprintOf(' { "b" : [ true , null ] , "\\u0061" : 1.0 } '),
  );
  assert.equal(await fingerprintOf('{"a":100}'), await fingerprintOf('{"a":1e2}'));
  assert.notEqual(await fingerprintOf('{"a":1}'), await fingerprintOf('{"a":"1"}'));
  assert.notEqual(await fingerprintOf('{"a":[1,2]}'), await fingerprintOf('{"a":[2,1]}'));
  assert.notEqual(await fingerprintOf('{}'), await fingerprintOf('{"a":null}'));
});

test('method and path are part of the request', async () => {
  assert.notEqual(
    await fingerprint('POST', '/v1/images/generations', {}),
    await fingerprint('POST', '/v1/images/edits', {}),
  );
});

test('a long text is hashed a piece at a time, and comes to the same', async () => {
  for (const unit of ['A+/=', 'é"\\\n', 'x😀']) {
    const body = { prompt: 'x', mask: unit.repeat(700_000), image: 'y', absent: undefined };
    const whole = createHash('sha256')
      .update(`POST\n/v1/images/edits\n${canonicalJson(body)}`)
      .digest('hex');
    assert.equal(await fingerprint('POST', '/v1/images/edits', body), whole);
  }
});

test('names are ordered at every depth by their UTF-16 code units', () => {
  const value = JSON.parse('{"\\ud83d\\ude00":1,"\\ufb33":2,"z":{"b":1,"a":2}}');
  assert.equal(canonicalJson(value), '{"z":{"a":2,"b":1},"\ud83d\ude00":1,"\ufb33":2}');
});
