import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from './route.ts';
import { isBodyOf, valuesAt, withValueAt } from './json-pointer.ts';

test('a value is set where its pointer says, and what is missing on the way is made', () => {
  const body = { steps: 28, image_size: { width: 1 } };
  assert.deepEqual(withValueAt(body, '/image_size/height', 2), {
    steps: 28,
    image_size: { width: 1, height: 2 },
  });
  assert.deepEqual(withValueAt(body, '/init_images/0', 'a'), { ...body, init_images: ['a'] });
  assert.deepEqual(withValueAt(body, '/a~1b', true), { ...body, 'a/b': true });
  assert.deepEqual(withValueAt(body, '/steps', undefined), { image_size: { width: 1 } });
  assert.deepEqual(body, { steps: 28, image_size: { width: 1 } });
  assert.equal(Object.getPrototypeOf(withValueAt({}, '/__proto__/polluted', 1)), Object.prototype);
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
});

test('a pattern finds every value, and one where a list was expected', () => {
  const answer = { images: [{ url: 'a' }, { url: 'b' }, {}] as JsonValue[] };
  assert.deepEqual(valuesAt(answer, '/images/*/url'), ['a', 'b']);
  assert.deepEqual(valuesAt(['a', 'b'], '/*'), ['a', 'b']);
  assert.deepEqual(valuesAt('a', '/*'), ['a']);
  assert.deepEqual(valuesAt({ images: { url: 'a' } }, '/images/*/url'), ['a']);
  assert.deepEqual(valuesAt({}, '/images/*/url'), []);
  assert.deepEqual(valuesAt(undefined, '/images'), []);
});

test('a body is known again by what was sent, whatever the engine adds or replaces', () => {
  const sent = { prompt: 'a', image: 'data:…', size: { width: 1 } };
  assert.ok(isBodyOf({ ...sent, steps: 20, image: 'https://…' }, sent, ['/image']));
  assert.ok(!isBodyOf({ ...sent, image: 'https://…' }, sent));
  assert.ok(!isBodyOf({ ...sent, prompt: 'b' }, sent, ['/image']));
  assert.ok(!isBodyOf({ ...sent, size: { width: 2 } }, sent, ['/image']));
  assert.ok(!isBodyOf(null, sent));
});
