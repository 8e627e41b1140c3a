import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId, randomBase62 } from './ids.ts';

test('ids are a prefix and 26 characters, all different, and later ones sort later', () => {
  const ids = Array.from({ length: 10_000 }, (_, i) => newId('gen_', 1_795_000_000_000 + i));
  for (const id of ids) assert.match(id, /^gen_[0-9a-hjkmnp-tv-z]{26}$/);
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(ids.toSorted(), ids);
});

test('ids of one millisecond share their first ten characters and no more', () => {
  const [a, b] = [newId('', 5), newId('', 5)];
  assert.equal(a.slice(0, 10), '0000000005');
  assert.equal(b.slice(0, 10), '0000000005');
  assert.notEqual(a.slice(10), b.slice(10));
});

test('every character of the random part takes every value', () => {
  const seen = Array.from({ length: 16 }, () => new Set<string>());
  for (let i = 0; i < 3_000; i++)
    Array.from(newId('').slice(10), (character, index) => seen[index]?.add(character));
  for (const characters of seen) assert.equal(characters.size, 32);
});

test('random base62 text has the asked length and uses the whole alphabet', () => {
  const text = randomBase62(20_000);
  assert.match(text, /^[0-9A-Za-z]{20000}$/);
  assert.equal(new Set(text).size, 62);
});
