import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayOf, momentsOf } from './days.ts';

test('A day of an address is a day of the calendar, or none', () => {
  assert.equal(dayOf('2026-11-21'), '2026-11-21');
  for (const value of ['2026-13-01', 'yesterday', '20261121', 20_261_121, undefined])
    assert.equal(dayOf(value), undefined, String(value));
});

test('A range of days ends with its last day, in the zone of who asks', () => {
  const { from = '', before = '' } = momentsOf({ from: '2026-10-31', to: '2026-10-31' });
  assert.equal(new Date(from).getHours(), 0);
  assert.equal(new Date(from).getDate(), 31);
  assert.deepEqual([new Date(before).getMonth(), new Date(before).getDate()], [10, 1]);
  assert.deepEqual(momentsOf({}), {});
});
