import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sinceOf } from './recover-since.ts';

const now = new Date('2026-11-21T12:00:00Z');

test('what failed is sent again since the moment that was chosen', () => {
  assert.equal(sinceOf('hour', '', now), '2026-11-21T11:00:00.000Z');
  assert.equal(sinceOf('week', '', now), '2026-11-14T12:00:00.000Z');
  assert.equal(sinceOf('custom', '2026-11-20T08:30', now), new Date('2026-11-20T08:30').toISOString());
});

test('a moment that is none is not sent', () => {
  assert.equal(sinceOf('custom', '', now), undefined);
});
