import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import {
  type ComfyCounterpart,
  startComfyCounterpart,
} from '@renderkit/engine-comfyui/testing/comfy-counterpart.ts';
import { firstWorkflow } from '@renderkit/engine-comfyui/testing/first-workflow.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { priceOfSample } from '@renderkit/studio/administration/sample-model.ts';
import { openCatalog } from '@renderkit/studio/catalog/open-catalog.ts';
import { startWorker } from '@renderkit/studio/start-worker.ts';
import { openDiskBlobStorage } from '@renderkit/blob-storage/disk-blob-storage.ts';
import { commands } from '../src/operator/commands.ts';
import { runOperator } from '../src/operator/run-operator.ts';

const checkpoint = 'harbour.safetensors';
const secretKey = 'ab'.repeat(32);
const log = createLogger({ part: 'test', level: 'silent' });

const graph = firstWorkflow(checkpoint, 64);

const owners = new AsyncDisposableStack();
let directory: string;
let database: Database;
let comfy: ComfyCounterpart;
let environment: Record<string, string | undefined>;

before(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'renderkit-sample-'));
  await chmod(directory, 0o711);
  owners.defer(() => rm(directory, { recursive: true, force: true }));
  const service = owners.use(await createTestDatabase('service'));
  const studio = owners.use(await createTestDatabase('studio'));
  database = studio.database;
  comfy = owners.use(await startComfyCounterpart({ checkpoints: [checkpoint] }));
  environment = {
    PATH: process.env['PATH'],
    DATABASE_URL: service.url,
    STUDIO_DATABASE_URL: studio.url,
    SECRET_KEY: secretKey,
    DATA_DIR: path.join(directory, 'data'),
    INIT_CWD: directory,
  };
  await writeFile(path.join(directory, 'harbour.json'), JSON.stringify(graph));
  await run('backend', 'add', '--name', 'gpu1', '--engine', 'comfyui', '--url', comfy.url);
});
after(() => owners[Symbol.asyncDispose]());

type Added = {
  id: string;
  version: number;
  added: boolean;
  published: boolean;
  price: { base_millicredits: number };
  sample: { seconds: number; with_loading: boolean } | null;
  problems: { code: string; message: string; line?: number }[];
  warnings: string[];
};

async function run<Data>(...argv: string[]): Promise<{ data: Data; failed: boolean }> {
  const { text, failed } = await runOperator(commands, [...argv, '--json'], environment);
  return { data: JSON.parse(text) as Data, failed };
}

/** Starts a worker as the stack does. */
const working = () =>
  startWorker(
    {
      databaseUrl: environment['STUDIO_DATABASE_URL'] ?? '',
      dataDirectory: path.join(directory, 'data'),
      workers: 1,
      labels: [],
      secretKey: Buffer.from(secretKey, 'hex'),
      egressAllow: [],
      host: '127.0.0.1',
      port: undefined,
      metricsToken: undefined,
      logLevel: 'silent',
    },
    { log },
  );

const add = (...more: string[]) =>
  run<Added>('model', 'add', '--file', 'harbour.json', '--on', 'gpu1', ...more);

/** Returns a model's thumbnail from the API's catalog. */
async function thumbnailOf(model: string): Promise<string | null | undefined> {
  await using catalog = await openCatalog({ database, log, mediaUrl: '' });
  return catalog.current().shared.models.find(({ id }) => id === model)?.thumbnail;
}

test('a sample of a workflow is its thumbnail and makes its price, and nobody pays it', async () => {
  await using worker = await working();
  assert.ok(worker);
  const { data, failed } = await add('--publish');
  assert.deepEqual([failed, data.problems, data.version, data.published], [false, [], 1, true]);
  assert.ok(data.sample !== null && data.sample.seconds > 0);
  assert.deepEqual(data.price, { base_millicredits: priceOfSample(data.sample.seconds) });
  assert.equal(priceOfSample(0.2), 1_000, 'a credit at least');
  assert.equal(comfy.asked.submit, 1);
  const key = await thumbnailOf('harbour');
  const storage = await openDiskBlobStorage(path.join(directory, 'data'));
  const blob = await storage.open(key ?? '');
  assert.ok(blob);
  const bytes = Buffer.concat(await Array.fromAsync(blob.read()));
  assert.equal(bytes.toString('latin1', 8, 12), 'WEBP');
  const [render] = await database.rows(
    `select account_id, cost_millicredits, status, request->>'prompt' as prompt from renders`,
  );
  assert.deepEqual(render, {
    account_id: 'acc_installation',
    cost_millicredits: 0,
    status: 'succeeded',
    prompt: 'boats in a harbour',
  });
  assert.deepEqual(await database.rows('select state from submissions'), [{ state: 'done' }]);
  const { data: accounts } = await run<object[]>('account', 'list');
  assert.deepEqual(accounts, [], 'the installation is no account of anybody');
});

test('what has a sample is given none again, and the same content no version', async () => {
  const asked = comfy.asked.submit;
  const { data } = await add();
  assert.deepEqual([data.version, data.added, data.problems], [1, false, []]);
  assert.ok(data.sample !== null);
  assert.equal(comfy.asked.submit, asked);
});

test('the price follows the time of the sample, unless one is given or on offer', async () => {
  const seconds = async (model: string) => {
    await database.rows('update model_versions set sample_seconds = 33.2 where model_id = $1', [model]);
    return (await add('--id', model)).data;
  };
  await add('--id', 'slow', '--no-sample');
  const slow = await seconds('slow');
  assert.deepEqual([slow.version, slow.price.base_millicredits], [1, 3_400]);
  assert.equal((await add('--id', 'slow', '--price', '2')).data.price.base_millicredits, 2_000);
  await add('--id', 'offered', '--price', '5', '--no-sample', '--publish');
  assert.equal((await seconds('offered')).price.base_millicredits, 5_000);
});

test('without a worker there is no sample, and it says so', async () => {
  const { text } = await runOperator(
    commands,
    ['model', 'add', '--file', 'harbour.json', '--on', 'gpu1', '--id', 'alone'],
    environment,
  );
  assert.match(text, /No sample was made: No worker runs\./);
  assert.match(text, /alone has version 1\. Offer it: model publish --id alone/);
});

test('a sample that fails forbids the offer and says why, in an operator’s words', async () => {
  await using worker = await working();
  assert.ok(worker);
  comfy.script.failWith = { type: 'RuntimeError', message: 'The lamp is out.' };
  try {
    const { data, failed } = await add('--id', 'broken', '--publish');
    assert.deepEqual([failed, data.published, data.version, data.sample], [true, false, 1, null]);
    assert.equal(data.problems[0]?.code, 'sample_failed');
    assert.match(data.problems[0]?.message ?? '', /The lamp is out/);
    assert.equal(await thumbnailOf('broken'), undefined);
  } finally {
    comfy.script.failWith = undefined;
  }
});

/** Writes a manifest of the same workflow with this range of cfg, and with `more` added to its route. */
async function writeManifest(name: string, maxCfg: number, more = ''): Promise<string> {
  await writeFile(
    path.join(directory, `${name}.model.yaml`),
    `manifest: 1
id: ${name}
name: ${name}
suites: [image]
batch_size: { Conjure: 1 }
parameters:
  aspect_ratios: [{ ratio: '1:1', width: 64, height: 64 }]
  cfg: { min: 1, max: ${maxCfg}, step: 1, default: 6 }
price: { base_millicredits: 2500 }
routes:
  - name: own
    engine: comfyui
    on: [gpu1]
    workflow: harbour.json
    nodes:
      positive: { id: '6', class: CLIPTextEncode }
      sampler: { id: '3', class: KSampler }
      save: { id: '9', class: SaveImage }
    set:
      positive.text: { text: '{prompt}' }
      sampler.cfg: { from: cfg }
    outputs: { from: [save], kind: image, max_per_job: 1 }
${more}`,
  );
  return `${name}.model.yaml`;
}

test('a manifest has its sample too, and keeps its own price', async () => {
  await using worker = await working();
  assert.ok(worker);
  const { data } = await run<Added>('model', 'add', '--file', await writeManifest('mine', 12), '--publish');
  assert.deepEqual([data.published, data.price.base_millicredits], [true, 2_500]);
  assert.ok(data.sample !== null);
  const check = await run<{ fits: boolean }[]>('model', 'check', '--id', 'mine');
  assert.deepEqual([check.failed, check.data.map(({ fits }) => fits)], [false, [true]]);
});

test('where a sample costs money none is made unless it is asked for', async () => {
  await using worker = await working();
  assert.ok(worker);
  const file = await writeManifest('dear', 12, '    cost: { currency: USD, per_output: 0.02 }\n');
  const asked = comfy.asked.submit;
  assert.equal((await run<Added>('model', 'add', '--file', file)).data.sample, null);
  assert.equal(comfy.asked.submit, asked);
  await run('backend', 'set', '--name', 'gpu1', '--max-cost-per-day', '1', '--currency', 'USD');
  const { data } = await run<Added>('model', 'add', '--file', file, '--sample');
  assert.ok(data.sample !== null);
  const costs = await database.rows('select jobs, reserved::float8, spent::float8 from provider_costs');
  assert.deepEqual(costs, [{ jobs: 1, reserved: 0, spent: 0.02 }]);
});

test('a range that the machine does not take is not offered, however it comes in', async () => {
  const file = await writeManifest('wide', 200);
  const { data, failed } = await run<Added>('model', 'add', '--file', file, '--publish');
  assert.deepEqual([failed, data.published, data.version], [true, false, 1]);
  assert.deepEqual(
    data.problems.map(({ code }) => code),
    ['binding_range'],
  );
  assert.match(
    data.problems[0]?.message ?? '',
    /^wide\.model\.yaml, route own: .*cfg can be .* to 200, and gpu1 takes 0 to 100 there\.$/,
  );
  assert.ok((data.problems[0]?.line ?? 0) > 1);
  const published = await run<{ problems: { code: string }[] }>('model', 'publish', '--id', 'wide');
  assert.deepEqual([published.failed, published.data.problems[0]?.code], [true, 'binding_range']);
  const check = await run<{ fits: boolean }[]>('model', 'check', '--id', 'wide');
  assert.deepEqual([check.failed, check.data.map(({ fits }) => fits)], [true, [false]]);
});

test('a file that the machine lacks for now leaves a draft, which is offered once it is there', async () => {
  comfy.script.checkpoints = [];
  const { data, failed } = await add('--id', 'early');
  assert.deepEqual([failed, data.version, data.problems[0]?.code], [true, 1, 'file_missing']);
  comfy.script.checkpoints = [checkpoint];
  assert.equal((await run('model', 'publish', '--id', 'early')).failed, false);
});

test('texts that nothing leads to are guesses, and a draft is mended by one command', async () => {
  const text = ['STRING', { multiline: true }];
  const side = ['INT', { default: 512, min: 64, max: 2048, step: 8 }];
  const classes = {
    Poster: {
      input: { required: { above: text, below: text, width: side, height: side } },
      output: ['IMAGE'],
      output_node: false,
    },
    SaveImage: {
      input: { required: { images: ['IMAGE'], filename_prefix: ['STRING', {}] } },
      output: [],
      output_node: true,
    },
  };
  const poster = {
    '1': { class_type: 'Poster', inputs: { above: 'a lake', below: 'a hill', width: 512, height: 512 } },
    '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'x' } },
  };
  await writeFile(path.join(directory, 'classes.json'), JSON.stringify(classes));
  await writeFile(path.join(directory, 'poster.json'), JSON.stringify(poster));
  const offline = ['--on', 'gpu7', '--object-info', 'classes.json', '--publish'];
  const { data, failed } = await run<Added & { parameters: { target: string; sure: string }[] }>(
    'model',
    'add',
    '--file',
    'poster.json',
    ...offline,
  );
  assert.deepEqual([failed, data.published, data.version], [true, false, 1]);
  assert.deepEqual(
    data.problems.map(({ code }) => code),
    ['binding_missing'],
  );
  const guesses = data.parameters.filter(({ sure }) => sure === 'guess').map(({ target }) => target);
  assert.deepEqual(guesses, ['positive.above', 'positive.below']);
  assert.equal((await run('model', 'publish', '--id', 'poster')).failed, true);
  const bind = (target: string) =>
    run<Added>('model', 'bind', '--id', 'poster', '--target', target, '--source', 'prompt');
  assert.equal((await bind('9.text')).failed, true);
  const bound = await bind('1.below');
  assert.deepEqual([bound.failed, bound.data.version, bound.data.problems], [false, 2, []]);
  assert.equal((await run('model', 'publish', '--id', 'poster')).failed, false);
});
