import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ledgerKinds, openBought, paid, stop, submit } from './bought-renders.ts';
import { dieAt } from './doomed-part.ts';

test('a render that waits ends at once, refunded, whatever it would have cost; twice is as once', async () => {
  await using opened = await openBought(paid);
  await submit(opened);
  const first = await stop(opened);
  assert.deepEqual(
    [first.body.outcome, first.body.was_ended, first.body.render.status, first.body.render.error?.code],
    ['ended', false, 'failed', 'stopped'],
  );
  assert.deepEqual(await ledgerKinds(opened), ['charge', 'refund']);
  const second = await stop(opened);
  assert.deepEqual([second.body.outcome, second.body.was_ended], ['ended', false]);
  assert.deepEqual(await ledgerKinds(opened), ['charge', 'refund']);
  assert.equal(opened.provider.jobs, 0);
});

test('what a worker draws itself at a cost has begun once it is claimed', async () => {
  await using opened = await openBought(paid);
  const { database } = opened.studio;
  await database.rows(`update routes set engine = 'procedural' where model_id = 'bought'`);
  await submit(opened);
  await dieAt(opened.studio, 'submission: intended');
  await database.rows(`update renders set stop_requested_at = clock(), stop_refund = 'none'`);
  await database.rows(
    `select from renders r, finish_render(r.id, r.attempt, 'failed', '{"code":"stopped"}', '[]')`,
  );
  assert.deepEqual(await ledgerKinds(opened), ['charge']);
});

test('what ended by itself was not stopped, however often it is asked to', async () => {
  await using opened = await openBought();
  await using _worker = await opened.studio.startWorker();
  await submit(opened);
  await opened.account.finished('one');
  for (let i = 0; i < 2; i++) {
    const { body } = await stop(opened);
    assert.deepEqual([body.outcome, body.was_ended, body.render.status], ['ended', true, 'succeeded']);
  }
});

test('an engine that cannot stop its last job says so, and nobody else’s render is stopped', async () => {
  await using opened = await openBought(paid);
  await submit(opened);
  await dieAt(opened.studio, 'submission: sent');
  const { database } = opened.studio;
  await database.execute(`update backends set engine = 'openai-images' where name = 'provider'`);
  assert.equal((await stop(opened)).body.outcome, 'stopping', 'a further job would begin');
  await database.execute(`update renders set stop_requested_at = null, expected_outputs = 2`);
  assert.equal((await stop(opened)).body.outcome, 'too_late');
  const [row] = await database.rows('select stop_requested_at from renders');
  assert.equal(row?.['stop_requested_at'], null);
  const other = await opened.studio.connect();
  assert.equal((await stop({ ...opened, account: other })).status, 404);
});
