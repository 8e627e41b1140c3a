import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unlessSoaking } from '@renderkit/server-kit/testing/soak.ts';
import { checkLedger } from '@renderkit/studio/operator.ts';
import { ledgerKinds, openBought, paid, stop, submit } from './bought-renders.ts';
import { dieAt } from './doomed-part.ts';

// What the worker had done when it died, and how many of three pictures in two jobs exist then.
const cases = [
  { point: 'intended', made: 0, paidBack: true },
  { point: 'posted', made: 0, paidBack: false },
  { point: 'sent', made: 0, paidBack: false },
  { point: 'result', made: 2, paidBack: false },
  { point: 'ended', made: 2, paidBack: false },
] as const;
for (const { point, made, paidBack } of cases)
  test(
    `a stop while a worker killed at "${point}" is away: one end, and money to the letter`,
    { skip: point === 'posted' || point === 'ended' ? false : unlessSoaking },
    async () => {
      await using opened = await openBought(paid);
      await submit(opened);
      await dieAt(opened.studio, `submission: ${point}`);
      const stopped = await stop(opened);
      assert.equal(stopped.body.outcome, 'stopping');
      assert.equal((await stop(opened)).body.outcome, 'stopping');
      await using _worker = await opened.studio.startWorker();
      const render = await opened.account.finished('one');
      if (render.outputs.length > 0) {
        assert.deepEqual([render.status, render.error?.code], ['succeeded', 'partial_failure']);
        assert.deepEqual(await ledgerKinds(opened), ['charge']);
      } else {
        assert.deepEqual([render.status, render.error?.code], ['failed', 'stopped']);
        assert.deepEqual(await ledgerKinds(opened), paidBack ? ['charge', 'refund'] : ['charge']);
      }
      // A provider that finishes before it gets the stop has made all requested pictures.
      assert.ok(render.outputs.length === made || (made === 0 && !paidBack && render.outputs.length === 2));
      assert.ok(opened.provider.jobs <= 1, 'no further job begins');
      assert.deepEqual(await checkLedger(opened.studio.database), []);
    },
  );

test('what costs the installation nothing is refunded in full, however far it was', async () => {
  await using opened = await openBought();
  await submit(opened);
  await dieAt(opened.studio, 'submission: sent');
  assert.equal((await stop(opened)).body.outcome, 'stopping');
  await using _worker = await opened.studio.startWorker();
  const render = await opened.account.finished('one');
  assert.deepEqual(await ledgerKinds(opened), render.status === 'failed' ? ['charge', 'refund'] : ['charge']);
  const again = await stop(opened);
  assert.deepEqual([again.body.outcome, again.body.was_ended], ['ended', false], 'by the stop before');
});
