import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfirmationTokens } from './confirmation-tokens.ts';

const purchase = { keyId: 'key_1', tool: 'create_image', arguments: { prompt: 'a boat', n: 1 }, credits: 30 };

test('a token stands for one key, tool and arguments, in whatever order, up to its price', () => {
  const confirmationTokens = new ConfirmationTokens('secret');
  const token = confirmationTokens.issue(purchase);
  const first = confirmationTokens.verify(token, purchase);
  assert.equal(first.outcome, 'confirmed');
  assert.deepEqual(
    confirmationTokens.verify(token, { ...purchase, arguments: { n: 1, prompt: 'a boat' }, credits: 29 }),
    first,
  );
  for (const other of [
    { ...purchase, keyId: 'key_2' },
    { ...purchase, tool: 'create_video' },
    { ...purchase, arguments: { prompt: 'a boat', n: 2 } },
    { ...purchase, credits: 31 },
  ])
    assert.equal(confirmationTokens.verify(token, other).outcome, 'refused');
  assert.notDeepEqual(confirmationTokens.verify(confirmationTokens.issue(purchase), purchase), first);
});

test('a token ends after ten minutes, and one of somebody else is none', () => {
  let now = 0;
  const confirmationTokens = new ConfirmationTokens('secret', () => now);
  const token = confirmationTokens.issue(purchase);
  now = 10 * 60_000;
  assert.equal(confirmationTokens.verify(token, purchase).outcome, 'confirmed');
  now += 1;
  assert.deepEqual(confirmationTokens.verify(token, purchase), {
    outcome: 'refused',
    reason: 'is older than ten minutes',
  });
  const [content = '', signature = ''] = token.split('.');
  const foreign = new ConfirmationTokens('another', () => now).issue(purchase);
  for (const wrong of [
    '',
    '.',
    'x.y',
    content,
    `${content}.`,
    `${content}A.${signature}`,
    foreign,
    'x'.repeat(5_000),
  ])
    assert.deepEqual(confirmationTokens.verify(wrong, purchase), {
      outcome: 'refused',
      reason: 'is none that was given out here',
    });
});
