import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillPath } from './client.ts';

test('a path gets its values, encoded', () => {
  assert.equal(fillPath('/v1/models/{id}', { id: 'character/a b' }), '/v1/models/character%2Fa%20b');
});

test('a path without its value is our own mistake', () => {
  assert.throws(() => fillPath('/keys/{id}'), /needs a value for id/);
});
