import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settingsOf, sourcesOf } from './made-with.ts';

const body = {
  prompt: 'a calm sea',
  model: 'retouch-1',
  image: 'ast_1',
  reference_images: ['ast_2', 'upl_3'],
  aspect_ratio: '16:9',
  strength: 0.4,
  styles: ['ink', 'noir'],
  options: { seed: 0, grain: false },
  metadata: { order: '7' },
};

test('What a request was made from is named by what it is to it', () => {
  assert.deepEqual(sourcesOf(body), [
    { name: 'Source', value: 'ast_1' },
    { name: 'Reference', value: 'ast_2' },
    { name: 'Reference', value: 'upl_3' },
  ]);
  assert.deepEqual(sourcesOf({ prompt: 'a' }), []);
});

test('Settings and options are read as one list', () => {
  assert.deepEqual(settingsOf(body), [
    ['Aspect ratio', '16:9'],
    ['Strength', '0.4'],
    ['Styles', 'ink, noir'],
    ['Seed', '0'],
    ['Grain', 'No'],
  ]);
});
