import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatLocalTime, formatRelativeTime, formatUtc } from './times.ts';

const now = new Date('2026-11-21T12:00:00Z');

test('a moment is shown to the second in UTC', () => {
  assert.equal(formatUtc('2026-11-21T18:04:09.123+01:00'), '2026-11-21 17:04:09 UTC');
});

test('a moment is shown in the zone of the viewer, with a year only when it is another', () => {
  const options = { zone: 'Asia/Tokyo', locale: 'en-GB' };
  assert.equal(formatLocalTime('2026-11-21T18:04:09Z', now, options), '22 Nov, 03:04');
  assert.match(formatLocalTime('2024-02-01T00:00:00Z', now, options), /2024/);
});

test('a distance in time is shown in its largest unit', () => {
  assert.equal(formatRelativeTime('2026-11-21T11:59:30Z', now), 'just now');
  assert.equal(formatRelativeTime('2026-11-21T11:57:00Z', now), '3 minutes ago');
  assert.equal(formatRelativeTime('2026-11-23T13:00:00Z', now), 'in 2 days');
});

test('what is no time is shown as it came', () => {
  assert.equal(formatUtc('soon'), 'soon');
  assert.equal(formatLocalTime('soon', now), 'soon');
  assert.equal(formatRelativeTime('soon', now), 'soon');
});
