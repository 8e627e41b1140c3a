import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ComfyCounterpart } from '@renderkit/engine-comfyui/testing/comfy-counterpart.ts';
import { addVersion, publishModel, withCatalog } from '@renderkit/studio/catalog/publish.ts';
import { readManifest } from '@renderkit/studio/manifests/read-manifest.ts';
import { checkLedger, showLedger } from '@renderkit/studio/operator.ts';
import { startTestStudio } from './harness.ts';

const source = `
manifest: 1
id: own
name: Own
suites: [image]
batch_size: { Conjure: 1 }
parameters: { aspect_ratios: [{ ratio: '1:1', width: 64, height: 64 }] }
price: { base_millicredits: 1000 }
routes:
  - name: own
    engine: comfyui
    on: [gpu1]
    workflow: ./own.workflow.json
    nodes: { image: { id: '1', class: EmptyImage }, save: { id: '9', class: SaveImage } }
    set: { image.width: { from: width }, image.height: { from: height } }
    outputs: { from: [save], kind: image, max_per_job: 1 }
`;
const workflow = JSON.stringify({
  1: { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 3_368_601 } },
  9: { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'own' } },
});

test('a machine that cannot be asked while it renders has one job, and its render one result', async () => {
  await using comfy = await new ComfyCounterpart().start();
  comfy.held = true;
  await using studio = await startTestStudio({ worker: false });
  const { database } = studio;
  const { manifest } = readManifest(source);
  assert.ok(manifest);
  await withCatalog(database, async (transaction) => {
    const files = { 'own.workflow.json': workflow };
    await addVersion(transaction, { manifest, source, files }, 'operator');
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
