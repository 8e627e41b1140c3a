import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { mapInSlots } from './map-in-slots.ts';

test('results stand in the order of the items, no more of which are worked on at once than asked for', async () => {
  let underWay = 0;
  let most = 0;
  const results = await mapInSlots(2, [9, 1, 5, 3], async (ms) => {
    most = Math.max(most, ++underWay);
    await sleep(ms);
    underWay--;
    return `${ms} ms`;
  });
  assert.deepEqual(results, ['9 ms', '1 ms', '5 ms', '3 ms']);
  assert.equal(most, 2);
});

test('the first error is thrown', async () => {
  const failing = mapInSlots(2, [1, 2, 3], (item) => Promise.reject(new Error(`no ${item}`)));
  await assert.rejects(failing, /no 1/);
});
