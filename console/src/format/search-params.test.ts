import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choice, pageNumber, parseSearch, stringifySearch, text } from './search-params.ts';

test('an address keeps the filters that are known and drops the rest', () => {
  const values = parseSearch('?status=failed&page=3&page=4&search=123');
  assert.deepEqual(values, { status: 'failed', page: '3', search: '123' });
  assert.equal(choice(values['status'], ['failed', 'pending']), 'failed');
  assert.equal(choice('lost', ['failed', 'pending']), undefined);
  assert.equal(pageNumber(values['page']), 3);
  assert.equal(text(values['search']), '123');
});

test('a first, broken or boundless page is no parameter', () => {
  for (const value of ['1', '0', '-1', '1e3', '99999999', 1, 2.5, null])
    assert.equal(pageNumber(value), undefined);
});

test('an address is written without what is not set', () => {
  assert.equal(
    stringifySearch({ status: 'failed', page: undefined, favorites: true }),
    '?status=failed&favorites=true',
  );
  assert.equal(stringifySearch({}), '');
});
