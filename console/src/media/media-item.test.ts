import assert from 'node:assert/strict';
import { test } from 'node:test';
import { downloadAddress, nameOfItem } from './media-item.ts';

test('An item is named after what is known about it', () => {
  const image = { type: 'image', width: 1024, height: 768, duration: null } as const;
  assert.equal(nameOfItem(image), 'Image, 1024 × 768');
  assert.equal(
    nameOfItem({ type: 'video', width: 640, height: 360, duration: 5.04 }),
    'Video, 5 s, 640 × 360',
  );
  assert.equal(nameOfItem({ ...image, width: null }), 'Image');
});

test('Only links to items of the studio become links that save', () => {
  const studio = 'https://studio.example';
  assert.equal(
    downloadAddress(`${studio}/media/a/ast_1.png`, studio),
    '/console/api/library/download?ids=ast_1',
  );
  for (const url of [
    `${studio}/media/a/thumb.webp`,
    `${studio}/media/b.png?signature=x`,
    'https://bucket.example/b.png',
    'nonsense',
  ])
    assert.equal(downloadAddress(url, studio), url);
});
