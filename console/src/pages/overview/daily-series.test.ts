import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDay, outcomeSeries, spendSeries, stacked, sum } from './daily-series.ts';

const key = (name: string, ...credits: number[]) => ({ key_id: name, name, credits });

test('the largest spender comes first, and small spenders are one series', () => {
  const spend = [
    key('a', 1, 0),
    key('b', 5, 5),
    ...['c', 'd', 'e', 'f', 'g'].map((name) => key(name, 0.5, 0.25)),
  ];
  const series = spendSeries(spend);
  assert.deepEqual(
    series.map(({ name }) => name),
    ['b', 'a', 'c', 'd', 'e', 'Other keys'],
  );
  assert.deepEqual(series.at(-1)?.values, [1, 0.5]);
});

test('outcomes that none had are left out, but for success', () => {
  const series = outcomeSeries({ succeeded: [0, 0], failed: [0, 1], canceled: [0, 0], open: [0, 0] });
  assert.deepEqual(
    series.map(({ name }) => name),
    ['Succeeded', 'Failed'],
  );
});

test('bars are stacked', () => {
  const series = spendSeries([key('a', 3, 0.1), key('b', 1, 0.2)]);
  assert.deepEqual(stacked(series), [
    [3, 0.1],
    [4, 0.3],
  ]);
  assert.equal(sum([0.1, 0.2]), 0.3);
});

test('a UTC day keeps its name wherever it is looked at', () => {
  assert.equal(formatDay('2026-11-21'), 'Nov 21');
});
