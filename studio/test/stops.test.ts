import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StopAnswer } from '@renderkit/contract/studio/schemas/render.ts';
import type { CounterpartAnswer, CounterpartRequest } from '@renderkit/engine-kit/testing/counterpart.ts';
import { ReplicateCounterpart } from '@renderkit/engine-replicate/testing/counterpart.ts';
import { addVersion, publishModel, withCatalog } from '@renderkit/studio/catalog/publish.ts';
import { readManifest } from '@renderkit/studio/manifests/read-manifest.ts';
import { unlessSoaking } from '@renderkit/server-kit/testing/soak.ts';
import { checkLedger, showLedger } from '@renderkit/studio/operator.ts';
import sharp from 'sharp';
import { dieAt } from './doomed-part.ts';
import { startTestStudio, type TestAccount, type TestStudio, untilOffered } from './harness.ts';

const source = (cost: string) => `
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
    outputs: { at: /*, kind: image, max_per_job: 2 }
    timeouts: { run: 300 }
${cost}
`;
const paid = '    cost: { currency: USD, per_output: 0.01 }';

const picture = sharp({ create: { width: 64, height: 64, channels: 3, background: '#284' } })
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
async function open(cost = ''): Promise<Opened> {
  await using owners = new AsyncDisposableStack();
  const provider = owners.use(await new Provider().start());
  const studio = owners.use(await startTestStudio({ worker: false }));
  const { database } = studio;
  const { manifest, problems } = readManifest(source(cost));
  assert.ok(manifest, JSON.stringify(problems));
  await withCatalog(database, async (transaction) => {
    await addVersion(transaction, { manifest, source: source(cost), files: {} }, 'operator');
    await publishModel(transaction, 'bought', undefined, 'operator');
  });
  await database.execute(
    `insert into backends (name, engine, url, slots, next_check_at, checked_revision, allow_loss)
     values ('provider', 'replicate', $1, 4, 'infinity', 1000000, true)`,
    [provider.base],
  );
  await database.execute(
    `insert into route_fits (backend, model_id, version, route, fits) values ('provider', 'bought', 1, 0, true)`,
  );
  const account = await studio.connect({ tier: 'pro' });
  await untilOffered(account, 'bought');
  const owned = owners.move();
  return { studio, provider, account, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function stop({ studio, account }: Opened): Promise<{ status: number; body: StopAnswer }> {
  const response = await fetch(`${studio.url}/api/renders/one/stopped`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${account.accessToken}` },
  });
  return { status: response.status, body: (await response.json()) as StopAnswer };
}

const ledgerKinds = async ({ studio, account }: Opened) =>
  (await showLedger(studio.database, account.email))
    .map(({ kind }) => kind)
    .filter((kind) => kind !== 'opening');

async function submit({ account }: Opened): Promise<void> {
  assert.equal((await account.submit('one', { model: 'bought' })).outcome, 'accepted');
}

test('a render that waits ends at once, refunded, whatever it would have cost; twice is as once', async () => {
  await using opened = await open(paid);
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

// What the worker had done when it died, and what of three pictures in two jobs there is then.
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
      await using opened = await open(paid);
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
      // A provider that is done before it hears of the stop has made what it was asked for.
      assert.ok(render.outputs.length === made || (made === 0 && !paidBack && render.outputs.length === 2));
      assert.ok(opened.provider.jobs <= 1, 'no further job begins');
      assert.deepEqual(await checkLedger(opened.studio.database), []);
    },
  );

test('what costs the installation nothing is refunded in full, however far it was', async () => {
  await using opened = await open();
  await submit(opened);
  await dieAt(opened.studio, 'submission: sent');
  assert.equal((await stop(opened)).body.outcome, 'stopping');
  await using _worker = await opened.studio.startWorker();
  const render = await opened.account.finished('one');
  assert.deepEqual(await ledgerKinds(opened), render.status === 'failed' ? ['charge', 'refund'] : ['charge']);
  const again = await stop(opened);
  assert.deepEqual([again.body.outcome, again.body.was_ended], ['ended', false], 'by the stop before');
});

test('what a worker draws itself at a cost has begun once it is claimed', async () => {
  await using opened = await open(paid);
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
  await using opened = await open();
  await using _worker = await opened.studio.startWorker();
  await submit(opened);
  await opened.account.finished('one');
  for (let i = 0; i < 2; i++) {
    const { body } = await stop(opened);
    assert.deepEqual([body.outcome, body.was_ended, body.render.status], ['ended', true, 'succeeded']);
  }
});

test('an engine that cannot stop its last job says so, and nobody else’s render is stopped', async () => {
  await using opened = await open(paid);
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
