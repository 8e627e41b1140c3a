import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';
import type { CounterpartAnswer, CounterpartRequest } from '@renderkit/engine-kit/testing/counterpart.ts';
import { ReplicateCounterpart } from '@renderkit/engine-replicate/testing/counterpart.ts';
import { unlessSoaking } from '@renderkit/server-kit/testing/soak.ts';
import { addVersion, publishModel, withCatalog } from '@renderkit/studio/catalog/publish.ts';
import { readManifest } from '@renderkit/studio/manifests/read-manifest.ts';
import { checkLedger, showLedger } from '@renderkit/studio/operator.ts';
import { listKeys } from '@renderkit/studio/storage/testing/list-keys.ts';
import sharp from 'sharp';
import { startTestStudio, type TestAccount, type TestStudio } from './harness.ts';

const source = `
manifest: 1
id: bought
name: Bought
suites: [image]
batch_size: { Conjure: 3 }
parameters:
  aspect_ratios: [{ ratio: '1:1', width: 64, height: 64 }]
price: { base_millicredits: 1000 }
routes:
  - name: replicate
    engine: replicate
    on: [provider]
    endpoint: black-forest-labs/flux-dev
    set:
      /prompt: { text: '{prompt}' }
      /num_outputs: { from: outputs }
      /seed: { from: seed }
    outputs: { at: /*, kind: image, max_per_job: 2 }
    timeouts: { run: 300 }
`;

const picture = sharp({ create: { width: 128, height: 128, channels: 3, background: '#284' } })
  .png()
  .toBuffer();

/** A provider whose results are pictures. */
class Provider extends ReplicateCounterpart {
  protected override async answer(request: CounterpartRequest): Promise<CounterpartAnswer> {
    return request.purpose === 'result' ? { bytes: await picture } : super.answer(request);
  }
}

type Opened = AsyncDisposable & { studio: TestStudio; provider: Provider; account: TestAccount };

/** A studio without a worker, with one model that a provider makes in jobs of two pictures. */
async function open(): Promise<Opened> {
  await using owners = new AsyncDisposableStack();
  const provider = owners.use(await new Provider().start());
  const studio = owners.use(await startTestStudio({ worker: false }));
  const { database } = studio;
  const { manifest } = readManifest(source);
  assert.ok(manifest);
  await withCatalog(database, async (transaction) => {
    await addVersion(transaction, { manifest, source, files: {} }, 'operator');
    await publishModel(transaction, 'bought', undefined, 'operator');
  });
  await database.execute(
    `insert into backends (name, engine, url, slots, next_check_at, checked_revision)
     values ('provider', 'replicate', $1, 4, 'infinity', 1000000)`,
    [provider.base],
  );
  await database.execute(
    `insert into route_fits (backend, model_id, version, route, fits) values ('provider', 'bought', 1, 0, true)`,
  );
  const account = await studio.connect({ tier: 'pro' });
  const owned = owners.move();
  return { studio, provider, account, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Runs a worker that dies at the point, and waits until it has. */
async function dieAt(studio: TestStudio, point: string): Promise<void> {
  const worker = fork(path.join(import.meta.dirname, 'crash-worker.ts'), [point], {
    env: { ...process.env, STUDIO_DATABASE_URL: studio.databaseUrl, DATA_DIR: studio.dataDirectory },
  });
  const [, signal] = (await once(worker, 'exit')) as [number | null, string | null];
  assert.equal(signal, 'SIGKILL');
}

async function madeOnce({ studio, provider, account }: Opened, token: string, jobs: number): Promise<void> {
  const render = await account.finished(token);
  assert.deepEqual([render.status, render.error, render.outputs.length], ['succeeded', null, 3]);
  for (const { url, width, height } of render.outputs) {
    assert.deepEqual([width, height], [64, 64]);
    const { format } = await sharp(await (await fetch(url)).arrayBuffer()).metadata();
    assert.equal(format, 'png');
  }
  assert.equal(provider.jobs, jobs);
  assert.equal((await listKeys(path.join(studio.dataDirectory, 'media'))).length, 6);
  const kinds = (await showLedger(studio.database, account.email)).map(({ kind }) => kind);
  assert.deepEqual(kinds, ['opening', 'charge']);
  assert.deepEqual(await checkLedger(studio.database), []);
}

const points = ['intended', 'posted', 'sent', 'result', 'stored', 'ended'] as const;
for (const point of points)
  test(
    `a worker killed at "${point}" buys nothing twice: another follows the same job`,
    { skip: point === 'posted' ? false : unlessSoaking },
    async () => {
      await using opened = await open();
      assert.equal((await opened.account.submit('bought', { model: 'bought' })).outcome, 'accepted');
      await dieAt(opened.studio, `submission: ${point}`);
      await using _worker = await opened.studio.startWorker();
      await madeOnce(opened, 'bought', 2);
    },
  );

test('a lost answer is looked for, and a lost request sent again: one job each', async () => {
  await using opened = await open();
  opened.provider.mishaps('submit', 'lost_answer', 'lost_request');
  await using _worker = await opened.studio.startWorker();
  assert.equal((await opened.account.submit('bought', { model: 'bought' })).outcome, 'accepted');
  await madeOnce(opened, 'bought', 2);
  assert.equal(opened.provider.asked.submit, 3);
});
