import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ComfyCounterpart } from '@renderkit/engine-comfyui/testing/comfy-counterpart.ts';
import { addVersion, publishModel, withCatalog } from '@renderkit/studio/catalog/publish.ts';
import { checkLedger, showLedger } from '@renderkit/studio/operator.ts';
import { startTestStudio, untilOffered } from './harness.ts';
import { ownModel } from './own-model.ts';

test('a machine that cannot be asked while it renders has one job, and its render one result', async () => {
  await using comfy = await new ComfyCounterpart().start();
  comfy.held = true;
  await using studio = await startTestStudio({ worker: false });
  const { database } = studio;
  const model = await ownModel('own');
  await withCatalog(database, async (transaction) => {
    await addVersion(transaction, model, 'operator');
    await publishModel(transaction, 'own', undefined, 'operator');
  });
  await database.execute(
    `insert into backends (name, engine, url, slots, next_check_at, checked_revision)
     values ('gpu1', 'comfyui', $1, 2, 'infinity', 1000000)`,
    [comfy.url],
  );
  await database.execute(
    `insert into route_fits (backend, model_id, version, route, fits) values ('gpu1', 'own', 1, 0, true)`,
  );
  const account = await studio.connect({ tier: 'pro' });
  await untilOffered(account, 'own');
  assert.equal((await account.submit('r', { model: 'own' })).outcome, 'accepted');
  await using _worker = await studio.startWorker();
  const hasSent = async () =>
    (await database.rows(`select from submissions where state = 'sent'`)).length === 1;
  for (let i = 0; i < 300 && !(await hasSent()); i++) await sleep(50);
  const asked = comfy.asked.look;
  comfy.faults.answersOnly = 502;
  comfy.cutSockets();
  // It is asked in vain at least twice, and is done meanwhile.
  for (let i = 0; i < 300 && comfy.asked.look < asked + 2; i++) await sleep(50);
  assert.ok(comfy.asked.look >= asked + 2);
  comfy.held = false;
  comfy.faults.answersOnly = undefined;
  const { status, outputs } = await account.finished('r');
  assert.deepEqual([status, outputs.length], ['succeeded', 1]);
  assert.deepEqual([comfy.jobs, comfy.executions], [1, 1]);
  const submissions = await database.rows('select state from submissions');
  assert.deepEqual(submissions, [{ state: 'done' }]);
  assert.deepEqual(
    (await showLedger(database, account.email)).map(({ kind }) => kind),
    ['opening', 'charge'],
  );
  assert.deepEqual(await checkLedger(database), []);
});
