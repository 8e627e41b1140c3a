import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileNameOf, nameOfItem } from './media-item.ts';

test('An item is called by what is known of it', () => {
  const image = { type: 'image', width: 1024, height: 768, duration: null } as const;
  assert.equal(nameOfItem(image), 'Image, 1024 × 768');
  assert.equal(
    nameOfItem({ type: 'video', width: 640, height: 360, duration: 5.04 }),
    'Video, 5 s, 640 × 360',
  );
  assert.equal(nameOfItem({ ...image, width: null }), 'Image');
});

test('A download has the id of its item and the ending of its address', () => {
  assert.equal(
    fileNameOf({ id: 'ast_1', type: 'image', url: 'https://a.example/m/x.webp?y=.png' }),
    'ast_1.webp',
  );
  assert.equal(fileNameOf({ id: 'ast_1', type: 'video', url: null }), 'ast_1.mp4');
  assert.equal(fileNameOf({ id: 'ast_1', type: 'image', url: 'https://a.example/m/x' }), 'ast_1.png');
});
