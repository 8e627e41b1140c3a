import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unlessSoaking } from '@renderkit/server-kit/testing/soak.ts';
import { checkLedger, showLedger } from '@renderkit/studio/operator.ts';
import { dieAt } from './doomed-part.ts';
import { startTestStudio, type TestStudio } from './harness.ts';

const mediaOf = (studio: TestStudio) => studio.mediaKeys();

test(
  'a worker killed three times on one render: failed, refunded, told',
  { skip: unlessSoaking },
  async () => {
    await using studio = await startTestStudio({ worker: false });
    const account = await studio.connect({ tier: 'free' });
    await account.submit('cursed');
    for (const point of ['render: started', 'render: drawn', 'render: started']) await dieAt(studio, point);
    // The worker that takes over after the third death gives up the render.
    await using _worker = await studio.startWorker();
    const render = await account.finished('cursed');
    assert.deepEqual([render.status, render.error?.code], ['failed', 'render_lost']);
    assert.deepEqual(
      (await showLedger(studio.database, account.email)).map(({ kind }) => kind),
      ['opening', 'charge', 'refund'],
    );
    assert.deepEqual(await checkLedger(studio.database), []);
    for (let i = 0; i < 50 && (await mediaOf(studio)).length > 0; i++)
      await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(await mediaOf(studio), []);
  },
);

test('after a kill between drawing and recording, and one after it, another worker ends the render once', async () => {
  await using studio = await startTestStudio({ worker: false });
  const account = await studio.connect({ tier: 'pro' });
  await account.submit('drawn');
  await dieAt(studio, 'render: drawn');
  await account.submit('recorded');
  await dieAt(studio, 'render: finished');
  await using _worker = await studio.startWorker();
  for (const token of ['drawn', 'recorded']) {
    const render = await account.finished(token);
    assert.deepEqual([render.status, render.outputs.length], ['succeeded', 1]);
    assert.equal((await fetch(render.outputs[0]?.url ?? '')).status, 200);
  }
  // The image and the thumbnail of each render, and nothing of the interrupted try.
  assert.equal((await mediaOf(studio)).length, 4);
  assert.deepEqual(
    (await showLedger(studio.database, account.email)).map(({ kind }) => kind),
    ['opening', 'charge', 'charge'],
  );
});
