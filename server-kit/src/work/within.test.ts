import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eachWithin, within } from './within.ts';

const untilAborted = (signal: AbortSignal) => sleep(30_000, undefined, { signal }).catch(() => undefined);

test('each item is worked on once, no more at once than asked for', async () => {
  const done: number[] = [];
  let underWay = 0;
  let most = 0;
  await eachWithin([1, 2, 3, 4, 5, 6, 7], { atOnce: 3, withinMs: 10_000 }, async (item) => {
    most = Math.max(most, ++underWay);
    await sleep(2);
    underWay--;
    done.push(item);
  });
  assert.deepEqual(
    done.toSorted((a, b) => a - b),
    [1, 2, 3, 4, 5, 6, 7],
  );
  assert.equal(most, 3);
});

test('when the time is over, or all is stopping, what is under way is given up and the rest left', async () => {
  const begun = async (withinMs: number, stopping?: AbortSignal) => {
    const items: number[] = [];
    await eachWithin([1, 2, 3], { atOnce: 2, withinMs, stopping }, async (item, signal) => {
      items.push(item);
      await untilAborted(signal);
    });
    return items;
  };
  assert.deepEqual(await begun(50), [1, 2]);
  assert.deepEqual(await begun(20_000, AbortSignal.timeout(50)), [1, 2]);
  assert.deepEqual(await begun(20_000, AbortSignal.abort()), []);
});

test('after a failure nothing else begins, and it is thrown once the others have ended', async () => {
  const ended: number[] = [];
  const work = eachWithin([1, 2, 3], { atOnce: 2, withinMs: 10_000 }, async (item) => {
    if (item === 1) throw new Error('no');
    await sleep(20);
    ended.push(item);
  });
  await assert.rejects(work, /^Error: no$/);
  assert.deepEqual(ended, [2]);
});

test('work that takes too long is answered by nothing, and fails later without harm', async () => {
  assert.equal(await within(Promise.resolve('done'), 10_000), 'done');
  await assert.rejects(within(Promise.reject(new Error('broken')), 10_000), /broken/);
  const late = sleep(20).then(() => Promise.reject(new Error('too late')));
  assert.equal(await within(late, 1), undefined);
  await sleep(40);
});
