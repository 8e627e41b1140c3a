import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RangeCache, type TimesRow } from './range-cache.ts';

test('ranges are read once for all that ask, and few samples tell nothing', async () => {
  const asked: string[][] = [];
  const rows: Record<string, TimesRow> = {
    many: { count: 5, low: 1, high: 3 },
    few: { count: 4, low: 1, high: 3 },
    none: { count: 0, low: null, high: null },
  };
  const ranges = new RangeCache<string>(
    (key) => key,
    async (keys) => {
      asked.push([...keys]);
      return keys.map((key) => rows[key] ?? { count: 0, low: null, high: null });
    },
  );
  assert.deepEqual(await ranges.read(['few', 'many', 'many', 'none']), [
    null,
    { low: 1, high: 3 },
    { low: 1, high: 3 },
    null,
  ]);
  assert.deepEqual(await ranges.read(['many', 'other']), [{ low: 1, high: 3 }, null]);
  assert.deepEqual(asked, [['few', 'many', 'none'], ['other']]);
});

test('what was kept is answered even where too much is kept by then', async () => {
  const row: TimesRow = { count: 9, low: 2, high: 4 };
  const ranges = new RangeCache<number>(String, (keys) => Promise.resolve(keys.map(() => row)));
  await ranges.read(Array.from({ length: 10_001 }, (_, i) => i));
  assert.deepEqual(await ranges.read([0, -1]), [
    { low: 2, high: 4 },
    { low: 2, high: 4 },
  ]);
});
