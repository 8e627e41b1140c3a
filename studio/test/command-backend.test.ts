import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { addVersion, publishModel, withCatalog } from '@renderkit/studio/catalog/publish.ts';
import { readManifest } from '@renderkit/manifests/read-manifest.ts';
import sharp from 'sharp';
import { startTestStudio, type TestStudio, untilFound, untilOffered } from './harness.ts';

const prompt = 'a lake; rm -rf /';

const sourceOf = (program: string, outputs: number) => `
manifest: 1
id: pocket
name: Pocket
suites: [image]
batch_size: { Conjure: ${outputs} }
parameters:
  aspect_ratios: [{ ratio: '1:1', width: 64, height: 64 }]
price: { base_millicredits: 1000 }
routes:
  - name: here
    engine: command
    on: [gpu]
    run: [${JSON.stringify(process.execPath)}, ${JSON.stringify(program)}, '{text}', '{out}']
    set: { text: { text: '{prompt}' } }
    outputs: { files: '*.png', kind: image, max_per_job: 1 }
`;

/** Publishes a model that one of the operator's programs makes: the program copies one picture. */
async function publish({ database, dataDirectory }: TestStudio, outputs = 1): Promise<void> {
  const picture = path.join(dataDirectory, 'picture.png');
  await sharp({ create: { width: 64, height: 64, channels: 3, background: '#284' } }).toFile(picture);
  const program = path.join(dataDirectory, 'program.mjs');
  await writeFile(
    program,
    `import { appendFileSync, copyFileSync, existsSync } from 'node:fs';
     appendFileSync(${JSON.stringify(path.join(dataDirectory, 'runs'))}, 'x');
     if (process.argv[2] !== 'a lake; rm -rf /') process.exit(3);
     if (existsSync(${JSON.stringify(path.join(dataDirectory, 'hang'))})) await new Promise((r) => setTimeout(r, 1e6));
     if (existsSync(${JSON.stringify(path.join(dataDirectory, 'slow'))})) await new Promise((r) => setTimeout(r, 3_500));
     copyFileSync(${JSON.stringify(picture)}, process.argv[3] + '/result.png');`,
  );
  const source = sourceOf(program, outputs);
  const { manifest } = readManifest(source);
  assert.ok(manifest);
  await withCatalog(database, async (transaction) => {
    await addVersion(transaction, { manifest, source, files: {} }, 'operator');
    await publishModel(transaction, 'pocket', undefined, 'operator');
  });
  await database.execute(
    `insert into backends (name, engine, labels, slots) values ('here', 'command', '{gpu}', 1)`,
  );
}

test("a program of the operator's makes a render, at a worker that has its label", async () => {
  await using studio = await startTestStudio({ worker: false });
  await publish(studio);
  const account = await studio.connect({ tier: 'pro' });
  await untilOffered(account, 'pocket');
  const request = { model: 'pocket', prompt };
  assert.equal((await account.submit('one', request)).outcome, 'accepted');
  await using _other = await studio.startWorker({ labels: ['procedural'] });
  assert.equal((await account.submit('drawn', { prompt: 'a lake' })).outcome, 'accepted');
  assert.equal((await account.finished('drawn')).status, 'succeeded');
  const [before] = await studio.database.rows<{ status: string }>(
    `select status from renders where token = 'one'`,
  );
  assert.equal(before?.status, 'queued', 'a worker without the label leaves it');
  await using _worker = await studio.startWorker({ labels: ['gpu'] });
  const render = await account.finished('one');
  assert.deepEqual([render.status, render.error, render.outputs.length], ['succeeded', null, 1]);
});

test('what still runs when the time to drain is over is canceled and made once the backend is back', async () => {
  await using studio = await startTestStudio({ worker: false });
  await publish(studio);
  const { database } = studio;
  const hang = path.join(studio.dataDirectory, 'hang');
  await writeFile(hang, '');
  await using _worker = await studio.startWorker();
  const account = await studio.connect({ tier: 'pro' });
  await untilOffered(account, 'pocket');
  assert.equal((await account.submit('one', { model: 'pocket', prompt })).outcome, 'accepted');
  await untilFound(database, `select from submissions where state = 'sent'`);
  await database.execute(
    `update backends set wanted = 'draining', drain_until = clock() where name = 'here'`,
  );
  await untilFound(
    database,
    `select from renders r join submissions s on s.render_id = r.id where r.status = 'queued' and s.state = 'canceled'`,
  );
  await rm(hang);
  await database.execute(`update backends set wanted = 'on', drain_until = null where name = 'here'`);
  const render = await account.finished('one');
  assert.deepEqual([render.status, render.outputs.length], ['succeeded', 1]);
  const states = await database.rows<{ state: string }>('select state from submissions order by created_at');
  assert.deepEqual(
    states.map(({ state }) => state),
    ['canceled', 'done'],
  );
});

test('the lease of each job of a render is renewed, and each can be stopped', async () => {
  await using studio = await startTestStudio({ worker: false });
  await publish(studio, 2);
  const { database, dataDirectory } = studio;
  // Each job takes longer than the time after which a lease is renewed.
  await writeFile(path.join(dataDirectory, 'slow'), '');
  await using _worker = await studio.startWorker();
  const account = await studio.connect({ tier: 'pro' });
  await untilOffered(account, 'pocket');
  assert.equal((await account.submit('two', { model: 'pocket', prompt })).outcome, 'accepted');
  const render = await account.finished('two');
  assert.deepEqual([render.status, render.outputs.length], ['succeeded', 2]);
  assert.deepEqual(
    await database.rows('select state, attempt from submissions'),
    Array.from({ length: 2 }, () => ({ state: 'done', attempt: 1 })),
  );
  assert.equal((await readFile(path.join(dataDirectory, 'runs'))).length, 2);
  assert.equal((await account.submit('stopped', { model: 'pocket', prompt })).outcome, 'accepted');
  await untilFound(
    database,
    `select from submissions s join renders r on r.id = s.render_id
     where r.token = 'stopped' and s.first_output = 1 and s.state = 'sent'`,
  );
  await database.execute(
    `update renders set stop_requested_at = clock(), stop_refund = 'none' where token = 'stopped'`,
  );
  const stopped = await account.finished('stopped');
  assert.deepEqual([stopped.status, stopped.outputs.length], ['succeeded', 1]);
});
