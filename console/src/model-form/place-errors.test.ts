import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labeledSentence, placeErrors } from './place-errors.ts';

test('Errors go to the fields that they are about', () => {
  const { byField, others } = placeErrors([
    { field: 'aspect_ratio', message: 'must be one of 1:1, 16:9' },
    { field: 'styles[0]', message: 'there is no such style' },
    { field: 'styles[2]', message: 'is a style for videos' },
    { field: 'options.detail', message: 'must be from 1 to 10' },
    { field: 'video_id', message: 'there is no such video.' },
    { field: 'model', message: 'there is no such model' },
    { field: 'metadata', message: 'has too many pairs' },
    { field: 'options', message: 'must be an object' },
    { field: '', message: 'is empty' },
  ]);
  assert.deepEqual(Object.fromEntries(byField), {
    aspect_ratio: 'Must be one of 1:1, 16:9.',
    styles: 'Number 1 there is no such style. Number 3 is a style for videos.',
    'options.detail': 'Must be from 1 to 10.',
    video: 'There is no such video.',
    model: 'There is no such model.',
  });
  assert.deepEqual(
    others.map(({ field }) => field),
    ['metadata', 'options', ''],
  );
});

test('An error beside no field begins with what it is about', () => {
  const missing = 'there is no such item in the library, and no such upload';
  const sentences = [
    ['image', `Image: ${missing}.`],
    ['reference_images[1]', `Reference images: number 2 ${missing}.`],
    ['options.detail', `Detail: ${missing}.`],
    ['video_id', `Video: ${missing}.`],
    ['metadata', `Metadata: ${missing}.`],
    ['', 'There is no such item in the library, and no such upload.'],
  ] as const;
  for (const [field, sentence] of sentences)
    assert.equal(labeledSentence({ field, message: missing }), sentence);
});
