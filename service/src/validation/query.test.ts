import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FieldError } from '../problems/api-problem.ts';
import { readQuery } from './validate-request.ts';

const read = (text: string | undefined) => {
  const errors: FieldError[] = [];
  return { query: { ...readQuery(text, errors) }, fields: errors.map(({ field }) => field) };
};

test('names and values are decoded, an empty value is a value', () => {
  assert.deepEqual(read(undefined), { query: {}, fields: [] });
  assert.deepEqual(read('a=1&b=x+y&c=%2B%26%C3%A9&d&&e=a=b'), {
    query: { a: '1', b: 'x y', c: '+&é', d: '', e: 'a=b' },
    fields: [],
  });
});

test('what is repeated, no UTF-8 or U+0000 is told with its name', () => {
  assert.deepEqual(read('a=1&a=2').fields, ['a']);
  assert.deepEqual(read('a=1&%61=2').fields, ['a']);
  assert.deepEqual(read('a=%ff&b=%00&c=%&d=%ED%A0%80').fields, ['a', 'b', 'c', 'd']);
  assert.deepEqual(read('%ff=a&b%00=1').fields, ['%ff', 'b%00']);
});

test('names of the prototype of objects are names like others', () => {
  const errors: FieldError[] = [];
  const query = readQuery('toString=1&__proto__=2', errors);
  assert.deepEqual(
    [Object.entries(query), errors],
    [
      [
        ['toString', '1'],
        ['__proto__', '2'],
      ],
      [],
    ],
  );
  assert.equal(Object.getPrototypeOf(query), null);
});
