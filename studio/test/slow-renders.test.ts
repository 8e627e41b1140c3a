import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StudioAnswer } from '@renderkit/contract/studio/operations.ts';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import { checkLedger } from '@renderkit/studio/operator.ts';
import { startTestStudio } from './harness.ts';

const slow = (seconds: number): Partial<RenderRequest> => ({ model: 'sandbox-slow', options: { seconds } });

test('renders that only wait leave the one slot to others, and are drawn when they are due', async () => {
  await using studio = await startTestStudio({ worker: false });
  const patient = await studio.connect({ tier: 'pro' });
  const neighbour = await studio.connect({ tier: 'pro' });
  for (let i = 0; i < 3; i++)
    assert.equal((await patient.submit(`long ${i}`, slow(300))).outcome, 'accepted');
  const asked = performance.now();
  assert.equal((await patient.submit('short', slow(3))).outcome, 'accepted');
  assert.equal((await neighbour.submit('ordinary')).outcome, 'accepted');
  {
    await using _ = await studio.startWorker({ workers: 1 });
    assert.equal((await neighbour.finished('ordinary')).status, 'succeeded');
  }
  // Another worker: the wait belongs to the job and does not end with a worker.
  await using _ = await studio.startWorker({ workers: 1 });
  const short = await patient.finished('short');
  assert.equal(short.status, 'succeeded');
  assert.ok(performance.now() - asked >= 2_990);
  const { body } = await patient.call<StudioAnswer<'lookUpRenders'>>('POST', '/api/renders/lookup', {
    tokens: [0, 1, 2].map((i) => `long ${i}`),
  });
  assert.deepEqual(
    body.renders.map(({ status }) => status),
    ['queued', 'queued', 'queued'],
  );
  const limits = (await patient.call<StudioAnswer<'getLimits'>>('GET', '/api/limits')).body;
  assert.equal(limits.image.running, 3, 'they hold their slots in the account all the same');
  assert.deepEqual(await checkLedger(studio.database), []);
});
