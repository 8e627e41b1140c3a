import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Confirmations } from './confirmations.ts';

const purchase = { keyId: 'key_1', tool: 'create_image', arguments: { prompt: 'a boat', n: 1 }, credits: 30 };

test('a token stands for one key, tool and arguments, in whatever order, up to its price', () => {
  const confirmations = new Confirmations('secret');
  const token = confirmations.issue(purchase);
  const first = confirmations.verify(token, purchase);
  assert.equal(first.outcome, 'confirmed');
  assert.deepEqual(
    confirmations.verify(token, { ...purchase, arguments: { n: 1, prompt: 'a boat' }, credits: 29 }),
    first,
  );
  for (const other of [
    { ...purchase, keyId: 'key_2' },
    { ...purchase, tool: 'create_video' },
    { ...purchase, arguments: { prompt: 'a boat', n: 2 } },
    { ...purchase, credits: 31 },
  ])
    assert.equal(confirmations.verify(token, other).outcome, 'refused');
  assert.notDeepEqual(confirmations.verify(confirmations.issue(purchase), purchase), first);
});

test('a token ends after ten minutes, and one of somebody else is none', () => {
  let now = 0;
  const confirmations = new Confirmations('secret', () => now);
  const token = confirmations.issue(purchase);
  now = 10 * 60_000;
  assert.equal(confirmations.verify(token, purchase).outcome, 'confirmed');
  now += 1;
  assert.deepEqual(confirmations.verify(token, purchase), {
    outcome: 'refused',
    reason: 'is older than ten minutes',
  });
  const [content = '', signature = ''] = token.split('.');
  const foreign = new Confirmations('another', () => now).issue(purchase);
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
    assert.deepEqual(confirmations.verify(wrong, purchase), {
      outcome: 'refused',
      reason: 'is none that was given out here',
    });
});
