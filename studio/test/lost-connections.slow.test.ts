import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ComfyCounterpart } from '@renderkit/engine-comfyui/testing/comfy-counterpart.ts';
import { addVersion, publishModel, withCatalog } from '@renderkit/studio/catalog/publish.ts';
import { checkLedger, showLedger } from '@renderkit/studio/operator.ts';
import { startTestStudio, type TestStudio, untilFound, untilOffered } from './harness.ts';
import { ownModel } from './own-model.ts';

test('a machine that cannot be asked while it renders has one job, and its render one result', async () => {
  await using comfy = await new ComfyCounterpart().start();
  comfy.held = true;
  await using studio = await startTestStudio({ worker: false });
  const { database } = studio;
  const account = await beginAt(comfy, studio);
  await using _worker = await studio.startWorker();
  await untilFound(database, `select from submissions where state = 'sent'`);
  const asked = comfy.asked.look;
  comfy.faults.answersOnly = 502;
  comfy.cutSockets();
  // Waits for at least two failed looks; the job finishes meanwhile.
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

test('a job that is to be canceled is so, also where the first request never arrived', async () => {
  await using comfy = await new ComfyCounterpart().start();
  comfy.held = true;
  await using studio = await startTestStudio({ worker: false });
  const { database } = studio;
  const account = await beginAt(comfy, studio);
  await using _worker = await studio.startWorker();
  await untilFound(database, `select from submissions where state = 'sent'`);
  comfy.mishaps('cancel', 'lost_request');
  await database.execute(`update backends set wanted = 'draining', drain_until = clock()`);
  await untilFound(database, `select from submissions where state = 'canceled'`);
  assert.ok(comfy.asked.cancel > 1, `it was asked ${comfy.asked.cancel} times`);
  comfy.held = false;
  await database.execute(`update backends set wanted = 'on', drain_until = null`);
  const { status, outputs } = await account.finished('r');
  assert.deepEqual([status, outputs.length], ['succeeded', 1]);
});

/** Begins one render at a machine, of a model that only this machine has. */
async function beginAt(comfy: ComfyCounterpart, studio: TestStudio) {
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
  return account;
}
