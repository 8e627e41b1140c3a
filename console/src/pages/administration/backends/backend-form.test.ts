import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ManagedBackend } from '@renderkit/contract/studio/administration/backends.ts';
import { brokenHeaderLine, changesOf, emptyBackend, formOf, toRequest } from './backend-form.ts';

const backend = {
  name: 'gpu1',
  engine: 'comfyui',
  url: 'http://10.0.0.5:8188',
  slots: 2,
  labels: ['gpu'],
  max_cost_per_day: 20,
  currency: 'USD',
  allow_loss: false,
} as unknown as ManagedBackend;

test('a new backend is sent with what was filled in, and nothing else', () => {
  assert.deepEqual(toRequest({ ...emptyBackend, name: ' gpu1 ', url: 'http://10.0.0.5:8188 ' }), {
    name: 'gpu1',
    engine: 'comfyui',
    url: 'http://10.0.0.5:8188',
  });
});

test('a change names what is different; an empty limit takes it away, and an empty secret stays as it was', () => {
  assert.deepEqual(changesOf(backend, formOf(backend)), {});
  assert.deepEqual(
    changesOf(backend, { ...formOf(backend), labels: [], maxCostPerDay: '', allowLoss: true, slots: '' }),
    { labels: [], max_cost_per_day: null, allow_loss: true },
  );
  assert.deepEqual(changesOf(backend, { ...formOf(backend), secret: ' s3 ', headers: 'A: b:c\n\n X:' }), {
    secret: 's3',
    headers: { A: 'b:c', X: '' },
  });
});

test('a line that is no header is told by its number', () => {
  assert.equal(brokenHeaderLine('A: b\nno header'), 2);
  assert.equal(brokenHeaderLine(''), undefined);
  assert.equal(brokenHeaderLine('A: b\n\nX-Y:'), undefined);
});
