import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildAddress } from './client.ts';

test('a path gets its values, encoded, and a query without what is undefined', () => {
  const address = buildAddress(
    '/console/api/v1/models/{id}',
    { id: 'character/a b' },
    { page: 2, search: undefined },
  );
  assert.equal(address, '/console/api/v1/models/character%2Fa%20b?page=2');
});

test('a path without its value is our own mistake', () => {
  assert.throws(() => buildAddress('/console/api/keys/{id}'), /needs a value for id/);
});
