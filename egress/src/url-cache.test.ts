import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ValidUrls } from './url-cache.ts';

test('a short URL is remembered, a long one is validated each time', () => {
  const urls = new ValidUrls([]);
  const short = `https://example.com/${'a'.repeat(492)}`;
  assert.equal(urls.read(short), urls.read(short));
  const long = `${short}a`;
  assert.equal(urls.read(long).href, long);
  assert.notEqual(urls.read(long), urls.read(long));
});
