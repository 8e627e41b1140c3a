import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationText, outcomeSentence, prettyJson, shortOutcome, subjectOf } from './delivery-labels.ts';

test('how an attempt ended is told in few words and in a sentence', () => {
  assert.equal(shortOutcome(503, 'status'), '503');
  assert.equal(shortOutcome(null, 'blocked_address'), 'blocked address');
  assert.equal(shortOutcome(null, null), '—');
  assert.equal(outcomeSentence(204, null), 'The receiver answered 204.');
  assert.equal(outcomeSentence(410, 'status'), 'The receiver answered 410; anything but 2xx is sent again.');
  assert.equal(outcomeSentence(null, 'timeout'), 'No status line came within the time.');
  assert.match(outcomeSentence(302, 'redirect'), /redirect.*\(status 302\)\.$/);
  assert.equal(outcomeSentence(null, null), 'No answer yet.');
});

test('a body is set out in lines where it is JSON, and its subject found', () => {
  assert.equal(prettyJson('{"a":1}'), '{\n  "a": 1\n}');
  assert.equal(prettyJson('<b>'), '<b>');
  assert.equal(subjectOf('{"data":{"id":"gen_1"}}'), 'gen_1');
  assert.equal(subjectOf('{"data":{"message":"hello"}}'), undefined);
  assert.equal(subjectOf('nonsense'), undefined);
});

test('a duration has the unit that fits', () => {
  assert.equal(durationText(45), '45 ms');
  assert.equal(durationText(10_000), '10.0 s');
});
