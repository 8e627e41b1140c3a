import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileIssue } from './upload-types.ts';

const file = (name: string, type: string, size = 1_000) => ({ name, type, size });

test('A file that cannot be used is not sent at all', () => {
  assert.match(
    fileIssue(file('a.gif', 'image/gif'), 'image') ?? '',
    /a\.gif is no image .* PNG, JPEG, WebP or AVIF/,
  );
  assert.match(fileIssue(file('a.png', 'image/png'), 'video') ?? '', /MP4 or MOV/);
  assert.match(
    fileIssue(file('a.png', 'image/png', 60 * 1024 * 1024), 'image') ?? '',
    /60 MB; the image limit is 50 MB/,
  );
  assert.match(fileIssue(file('a.png', 'image/png', 0), 'image') ?? '', /is empty/);
});

test('A file of a good type, or of one that the browser does not know, is left to the service', () => {
  assert.equal(fileIssue(file('a.png', 'image/png'), 'image'), undefined);
  assert.equal(fileIssue(file('a.avif', 'image/avif'), 'image'), undefined);
  assert.equal(fileIssue(file('a.mov', 'video/quicktime'), 'video'), undefined);
  assert.equal(fileIssue(file('a.m4a', ''), 'audio'), undefined);
});
