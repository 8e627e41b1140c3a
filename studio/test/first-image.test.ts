import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLedger } from '@renderkit/studio/operator.ts';
import { readChanges, startTestStudio } from './harness.ts';

test('a quote, a submit and a worker make an image that its link serves, for one credit', async () => {
  await using studio = await startTestStudio();
  const account = await studio.connect({ tier: 'free' });
  const quote = await account.quote();
  assert.equal(quote.cost_millicredits, 1_000);
  assert.equal(quote.outputs, 1);
  assert.equal(quote.refusal, null);
  const answer = await account.submit('gen_1');
  assert.equal(answer.outcome, 'accepted');
  assert.equal(answer.outcome === 'accepted' && answer.render.status, 'queued');
  const render = await account.finished('gen_1');
  assert.equal(render.status, 'succeeded', JSON.stringify(render.error));
  const [output] = render.outputs;
  assert.ok(output);
  assert.deepEqual([output.width, output.height, output.type], [256, 256, 'image']);
  const image = await fetch(output.url);
  assert.equal(image.status, 200);
  assert.equal(image.headers.get('content-type'), 'image/png');
  assert.equal(image.headers.get('x-content-type-options'), 'nosniff');
  // Nothing may run as code. But a browser that opens a link may show a video, which it loads with an opaque origin.
  assert.equal(image.headers.get('content-security-policy'), "default-src 'none'; media-src 'self'; sandbox");
  assert.equal(image.headers.get('access-control-allow-origin'), '*');
  assert.equal(
    Buffer.from(await image.arrayBuffer())
      .subarray(1, 4)
      .toString(),
    'PNG',
  );
  const part = await fetch(output.url, { headers: { range: 'bytes=1-3' } });
  assert.equal(part.status, 206);
  assert.equal(await part.text(), 'PNG');
  const thumb = await fetch(output.thumb_url ?? '');
  assert.equal(thumb.headers.get('content-type'), 'image/webp');
  const balance = await account.balance();
  assert.equal(balance.monthly_millicredits, 49_000);
  const [moved] = await readChanges(studio.url, [{ account: account.id, cursor: 0 }]);
  assert.equal(moved?.status, 'changes');
  assert.deepEqual(
    moved?.status === 'changes' &&
      moved.changes.map(({ render: seen }) => (seen as { status: string }).status),
    ['queued', 'succeeded'],
  );
  assert.deepEqual(await checkLedger(studio.database), []);
});
