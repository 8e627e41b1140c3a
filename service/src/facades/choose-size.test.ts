import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestSize, readSize } from './choose-size.ts';

const offered = [
  { ratio: '1:1', width: 1024, height: 1024 },
  { ratio: '16:9', width: 1216, height: 684 },
  { ratio: '9:16', width: 684, height: 1216 },
  { ratio: '1:1', width: 512, height: 512 },
];
const chosen = (text: string) => {
  const size = readSize(text);
  const nearest = size && nearestSize(offered, size);
  return nearest && `${nearest.width}x${nearest.height}`;
};

test('the nearest shape is chosen, and among equals the nearest area', () => {
  assert.equal(chosen('1024x1024'), '1024x1024');
  assert.equal(chosen('256x256'), '512x512');
  assert.equal(chosen('1792x1024'), '1216x684');
  assert.equal(chosen('1024x1792'), '684x1216');
  assert.equal(chosen('1100X1000'), '1024x1024');
});

test('what is no size is none', () => {
  for (const text of ['auto', '', '0x10', '10x', '1024 x 1024', 'x'.repeat(10_000)])
    assert.equal(chosen(text), undefined, text);
  assert.equal(readSize(1024), undefined);
  assert.equal(nearestSize([], { width: 1, height: 1 }), undefined);
});
