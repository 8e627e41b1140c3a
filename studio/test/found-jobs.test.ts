import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import { FalCounterpart } from '@renderkit/engine-fal/testing/counterpart.ts';
import { addVersion, publishModel, withCatalog } from '@renderkit/studio/catalog/publish.ts';
import { readManifest } from '@renderkit/manifests/read-manifest.ts';
import { checkLedger, showLedger } from '@renderkit/studio/operator.ts';
import { startTestStudio, type TestAccount, type TestStudio, untilFound, untilOffered } from './harness.ts';
import { makeImage } from './media-files.ts';

// Jobs of a provider whose answers were lost, among other jobs of the provider: of one account, or earlier ones.

const sources = {
  edit: `
suites: [edit]
batch_size: { Transform: 1 }
parameters: { aspect_ratios: [{ ratio: '1:1', width: 64, height: 64 }] }
price: { base_millicredits: 1000 }
routes:
  - name: fal
    engine: fal
    on: [fal]
    endpoint: fal-ai/flux/dev
    set: { /prompt: { text: '{prompt}' }, /image_url: { from: image } }
    outputs: { at: /images/*/url, kind: image, max_per_job: 1 }
`,
  draw: `
suites: [image]
batch_size: { Conjure: 1 }
parameters:
  aspect_ratios: [{ ratio: '1:1', width: 64, height: 64 }]
  options: [{ key: seed, name: Seed, type: slider, min: -1, max: 4294967295, step: 1, default: -1 }]
price: { base_millicredits: 1000 }
routes:
  - name: fal
    engine: fal
    on: [fal]
    endpoint: fal-ai/flux/dev
    set: { /prompt: { text: '{prompt}' }, /seed: { from: seed } }
    outputs: { at: /images/*/url, kind: image, max_per_job: 1 }
`,
};

let owners: AsyncDisposableStack;
let studio: TestStudio;
let fal: FalCounterpart;
let image: Buffer;

before(async () => {
  image = await makeImage({ width: 64, height: 64 });
});

beforeEach(async () => {
  await owners?.disposeAsync();
  owners = new AsyncDisposableStack();
  fal = owners.use(await Object.assign(new FalCounterpart(), { resultOf: () => image }).start());
  studio = owners.use(await startTestStudio({ worker: false }));
  const { database } = studio;
  await database.execute(
    `insert into backends (name, engine, url, slots, next_check_at, checked_revision)
     values ('fal', 'fal', $1, 2, 'infinity', 1000000)`,
    [fal.url],
  );
  for (const [id, offer] of Object.entries(sources)) {
    const source = `manifest: 1\nid: ${id}\nname: ${id}${offer}`;
    const { manifest, problems } = readManifest(source);
    assert.ok(manifest, JSON.stringify(problems));
    await withCatalog(database, async (transaction) => {
      await addVersion(transaction, { manifest, source, files: {} }, 'operator');
      await publishModel(transaction, id, undefined, 'operator');
    });
    await database.execute(
      `insert into route_fits (backend, model_id, version, route, fits) values ('fal', $1, 1, 0, true)
       on conflict do nothing`,
      [id],
    );
  }
  owners.use(await studio.startWorker({ pauses: { askAgain: 10 } }));
});
after(() => owners.disposeAsync());

async function connect(model: keyof typeof sources): Promise<TestAccount> {
  const account = await studio.connect({ tier: 'pro' });
  await untilOffered(account, model);
  return account;
}

async function make(account: TestAccount, request: Partial<RenderRequest>) {
  const { outcome } = await account.submit('r', request);
  assert.equal(outcome, 'accepted');
  return account.finished('r');
}

/** Checks that the render failed with the right error and was refunded. */
async function isGivenUp(account: TestAccount, render: Awaited<ReturnType<typeof make>>): Promise<void> {
  assert.deepEqual([render.status, render.error?.code], ['failed', 'outcome_unknown']);
  const entries = await showLedger(studio.database, account.email);
  assert.deepEqual(
    entries.map(({ kind }) => kind),
    ['opening', 'charge', 'refund'],
  );
  assert.deepEqual(await checkLedger(studio.database), []);
}

test('an edit whose request was lost is not given the picture of another account that used the same words', async () => {
  const edited = async (colour: string) => {
    const account = await connect('edit');
    await account.upload('upl', await makeImage({ width: 64, height: 64, colour }));
    await account.checked('upl');
    const request = { kind: 'image_edit', model: 'edit', prompt: 'remove the background', image: 'upl' };
    const more = { mode: 'transform', reference_images: [], aspect_ratio: undefined };
    return { account, render: await make(account, { ...request, ...more } as Partial<RenderRequest>) };
  };
  const first = await edited('#ff0000');
  assert.equal(first.render.status, 'succeeded');
  fal.mishaps('submit', 'lost_request');
  const second = await edited('#0000ff');
  await isGivenUp(second.account, second.render);
  assert.equal(fal.jobs, 1);
});

test('a job is found by the seed that was drawn for it, and not by one that somebody asked for', async () => {
  const drawn = await connect('draw');
  fal.mishaps('submit', 'lost_answer');
  assert.equal((await make(drawn, { model: 'draw' })).status, 'succeeded');
  const asked = await connect('draw');
  fal.mishaps('submit', 'lost_answer');
  await isGivenUp(asked, await make(asked, { model: 'draw', options: { seed: 42 } }));
  assert.equal(fal.jobs, 2);
});

/** Renders for a new account, and sets its submission to a state and to the job that the provider names next. */
async function hold(state: 'sent' | 'done', backend = 'fal'): Promise<void> {
  const account = await connect('draw');
  assert.equal((await make(account, { model: 'draw' })).status, 'succeeded');
  await studio.database.execute(
    `update submissions set engine_job = $1, state = $2, backend = $3, lease_until = 'infinity'`,
    [`req-${fal.jobs}`, state, backend],
  );
}

test('a job that was found and that another submission has is not taken, whatever their backends are called', async () => {
  await hold('done', 'the same provider');
  const account = await connect('draw');
  fal.mishaps('submit', 'lost_answer');
  assert.equal((await account.submit('r', { model: 'draw' })).outcome, 'accepted');
  await untilFound(studio.database, `select from submissions where state = 'lost'`);
  await studio.database.execute(`update submissions set lost_at = lost_at - interval '1 hour'`);
  await isGivenUp(account, await account.finished('r'));
  assert.equal(fal.jobs, 2);
});

test('two live submissions never follow one job', async () => {
  await hold('sent');
  const account = await connect('draw');
  await isGivenUp(account, await make(account, { model: 'draw' }));
});

test('an engine that begins its names anew has its jobs made', async () => {
  await hold('done');
  const account = await connect('draw');
  assert.equal((await make(account, { model: 'draw' })).status, 'succeeded');
  const rows = await studio.database.rows<{ engine_job: string | null }>(
    'select engine_job from submissions order by created_at',
  );
  assert.deepEqual(
    rows.map((row) => row.engine_job),
    [null, 'req-1'],
  );
});
