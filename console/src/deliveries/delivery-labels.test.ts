import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outcomeLabel, outcomeSentence, subjectOf } from './delivery-labels.ts';

test('how an attempt ended is shown in few words and as a sentence', () => {
  assert.equal(outcomeLabel(503, 'status'), '503');
  assert.equal(outcomeLabel(null, 'blocked_address'), 'Not a public address');
  assert.equal(outcomeLabel(null, 'dns'), 'Unknown name');
  assert.equal(outcomeLabel(null, null), '—');
  assert.equal(outcomeSentence(204, null), 'The receiver answered 204.');
  assert.equal(outcomeSentence(410, 'status'), 'The receiver answered 410; anything but 2xx is sent again.');
  assert.equal(outcomeSentence(null, 'timeout'), 'No status line came within the time.');
  assert.match(outcomeSentence(302, 'redirect'), /redirect.*\(status 302\)\.$/);
  assert.equal(outcomeSentence(null, null), 'No answer yet.');
});

test('the subject of an event is found in its body', () => {
  assert.equal(subjectOf('{"data":{"id":"gen_1"}}'), 'gen_1');
  assert.equal(subjectOf('{"data":{"message":"hello"}}'), undefined);
  assert.equal(subjectOf('nonsense'), undefined);
});
