import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import {
  ComfyCounterpart,
  startComfyCounterpart,
} from '@renderkit/engine-comfyui/testing/comfy-counterpart.ts';
import { firstWorkflow } from '@renderkit/engine-comfyui/testing/first-workflow.ts';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { startWorker } from '@renderkit/studio/start-worker.ts';
import { openTestOperator, type TestOperator } from '../src/testing/test-operator.ts';

const checkpoint = 'harbour.safetensors';
const secretKey = 'cd'.repeat(32);
const log = createLogger({ part: 'test', level: 'silent' });

let operator: TestOperator;
before(async () => {
  operator = await openTestOperator({ SECRET_KEY: secretKey });
  const write = (name: string, text: string) => writeFile(path.join(operator.directory, name), text);
  await write('harbour.json', JSON.stringify(firstWorkflow(checkpoint, 64)));
  await write('harbour.model.yaml', manifest);
});
after(() => operator[Symbol.asyncDispose]());

const manifest = `manifest: 1
id: harbour
name: Harbour
suites: [image]
batch_size: { Conjure: 1 }
parameters:
  aspect_ratios: [{ ratio: '1:1', width: 64, height: 64 }]
  cfg: { min: 1, max: 12, step: 1, default: 6 }
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
`;

type Entry = { id: string; state: string; reason: string | null };

async function entry(): Promise<Entry | undefined> {
  const { data } = await operator.run<Entry[]>('model', 'list');
  return data.find(({ id }) => id === 'harbour');
}

const working = () =>
  startWorker(
    {
      databaseUrl: operator.environment['STUDIO_DATABASE_URL'] ?? '',
      dataDirectory: operator.environment['DATA_DIR'] ?? '',
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

/** Returns the address of a machine that is turned off, and the port for starting it again. */
async function turnedOff(): Promise<{ url: string; port: number }> {
  await using comfy = await startComfyCounterpart();
  return { url: comfy.url, port: Number(new URL(comfy.url).port) };
}

test('what is bound and offered while its machine is silent says so, and is paused with the reason once that speaks', async () => {
  const { run } = operator;
  const { url, port } = await turnedOff();
  await run('backend', 'add', '--name', 'gpu1', '--engine', 'comfyui', '--url', url);
  const added = await run<{ published: boolean; warnings: string[] }>(
    'model',
    'add',
    '--file',
    'harbour.model.yaml',
    '--no-sample',
    '--publish',
  );
  assert.deepEqual([added.failed, added.data.published], [false, true]);
  assert.match(
    added.data.warnings.join(' '),
    /^Route own: gpu1 cannot be asked: .*checked as soon as it answers/,
  );

  const bind = ['model', 'bind', '--id', 'harbour', '--target', 'sampler.cfg', '--source', 'cfg'];
  const bound = await run<{ problems: unknown[]; warnings: string[] }>(...bind);
  assert.deepEqual([bound.failed, bound.data.problems], [false, []]);
  assert.match(bound.data.warnings.join(' '), /gpu1 cannot be asked/);
  assert.match((await operator.type(...bind)).text, /gpu1 cannot be asked/);
  const published = await run<{ version: number; warnings: string[] }>('model', 'publish', '--id', 'harbour');
  assert.match(published.data.warnings.join(' '), /gpu1 cannot be asked/);
  const check = await run<{ fits: boolean }[]>('model', 'check', '--id', 'harbour');
  assert.deepEqual([check.failed, check.data.map(({ fits }) => fits)], [true, [false]]);

  await using machine = new ComfyCounterpart({ script: { checkpoints: [] } });
  await machine.start(port);
  await using worker = await working();
  assert.ok(worker);
  const paused = await until('a pause for the file', entry, {
    isSo: ({ reason }) => /harbour\.safetensors/.test(reason ?? ''),
  });
  assert.equal(paused.state, 'paused');
  assert.match(paused?.reason ?? '', /^gpu1: gpu1 lacks harbour\.safetensors in checkpoints/);

  machine.script.checkpoints = [checkpoint];
  await run('backend', 'check', '--name', 'gpu1');
  await until('an offer', entry, { isSo: ({ state, reason }) => state === 'offered' && reason === null });
});

test('a draft says by itself what its machine lacks, without being offered', async () => {
  const { run, directory } = operator;
  await using machine = await startComfyCounterpart({ checkpoints: [] });
  await run('backend', 'set', '--name', 'gpu1', '--url', machine.url);
  await using worker = await working();
  assert.ok(worker);
  const file = path.join(directory, 'harbour.model.yaml');
  await writeFile(
    file,
    (await readFile(file, 'utf8')).replaceAll('harbour\n', 'quay\n').replace('max: 12', 'max: 11'),
  );
  await run('model', 'add', '--file', 'harbour.model.yaml', '--no-sample');
  await run('backend', 'check', '--name', 'gpu1');
  const { data } = await run<Entry[]>('model', 'list');
  const draft = data.find(({ id }) => id === 'quay');
  assert.equal(draft?.state, 'draft');
  assert.match(draft?.reason ?? '', /gpu1 lacks harbour\.safetensors/);
});

/** Writes a manifest of the same workflow for any machine with the label `gpu`, with the changes of the test. */
async function writeManifest(id: string, ...changes: [from: string, to: string][]): Promise<string> {
  const text = [['id: harbour', `id: ${id}`], ['on: [gpu1]', 'on: [gpu]'], ...changes].reduce(
    (sofar, [from = '', to = '']) => {
      assert.ok(sofar.includes(from), from);
      return sofar.replace(from, to);
    },
    manifest,
  );
  await writeFile(path.join(operator.directory, `${id}.model.yaml`), text);
  return `${id}.model.yaml`;
}

type Added = {
  published: boolean;
  problems: { code: string; message: string; line?: number }[];
  warnings: string[];
};
const add = (file: string, ...more: string[]) =>
  operator.run<Added>('model', 'add', '--file', file, '--no-sample', ...more);
const latent = [
  "      save: { id: '9'",
  "      latent: { id: '5', class: EmptyLatentImage }\n      save: { id: '9'",
] as const;
const sized = ['      sampler.cfg:', '      latent.width: { from: width }\n      sampler.cfg:'] as const;

test('machines that answer decide by what they have: one is enough, and what the other lacks is said', async () => {
  const { run } = operator;
  await using good = await startComfyCounterpart({ checkpoints: [checkpoint, 'film.safetensors'] });
  await using poor = await startComfyCounterpart({ checkpoints: [checkpoint] });
  for (const [name, { url }] of Object.entries({ good, poor }))
    await run('backend', 'add', '--name', name, '--engine', 'comfyui', '--url', url, '--labels', 'gpu');
  const file = await writeManifest(
    'reels',
    [
      'price:',
      `  options:
    - { key: style, name: Style, type: select, values: [{ value: harbour.safetensors, label: A }, { value: film.safetensors, label: B }], default: harbour.safetensors }
price:`,
    ],
    [
      "      save: { id: '9'",
      "      loader: { id: '4', class: CheckpointLoaderSimple }\n      save: { id: '9'",
    ],
    ['      sampler.cfg:', '      loader.ckpt_name: { from: options.style }\n      sampler.cfg:'],
    ['    workflow: harbour.json', '    workflow: harbour.json\n    requires: { vram_gb: 80 }'],
  );
  const { data, failed } = await add(file, '--publish');
  assert.deepEqual([failed, data.published, data.problems], [false, true, []]);
  const tooSmall = (name: string) => `Route own: ${name} has 24 GB of memory, and the route wants 80.`;
  const [first, second, ...others] = data.warnings;
  assert.deepEqual([first, others], [tooSmall('good'), [tooSmall('poor')]]);
  assert.match(
    second ?? '',
    /^reels\.model\.yaml, route own: loader\.ckpt_name: the option style can be film\.safetensors, and poor lacks film\.safetensors in checkpoints\.$/,
  );
  type Check = { backend: string; fits: boolean; problems: { code: string }[]; warnings: string[] };
  const check = await run<Check[]>('model', 'check', '--id', 'reels');
  const ofCard = (name: string) => `${name} has 24 GB of memory, and the route wants 80.`;
  assert.deepEqual(
    check.data.map(({ backend, fits, problems, warnings }) => [
      backend,
      fits,
      problems.map(({ code }) => code),
      warnings,
    ]),
    [
      ['good', true, [], [ofCard('good')]],
      ['poor', false, ['file_missing'], [ofCard('poor')]],
    ],
  );
  const all = await run<({ id: string } & Check)[]>('model', 'check');
  assert.deepEqual(
    all.data.filter(({ id }) => id === 'reels').flatMap(({ warnings }) => warnings),
    [ofCard('good'), ofCard('poor')],
    'also without asking them',
  );
});

test('a size between the steps of an input is not offered, and what was offered with one goes on', async () => {
  const { run } = operator;
  await using machine = await startComfyCounterpart({ checkpoints: [checkpoint] });
  for (const name of ['good', 'poor']) await run('backend', 'set', '--name', name, '--url', machine.url);
  const file = await writeManifest('uneven', ['width: 64', 'width: 68'], [...latent], [...sized]);
  const { data, failed } = await add(file, '--publish');
  assert.deepEqual([failed, data.published], [true, false]);
  assert.match(
    data.problems[0]?.message ?? '',
    /latent\.width: width can be 68, and good takes steps of 8 there/,
  );
  const line = manifest.split('\n').findIndex((one) => one.includes('sampler.cfg:')) + 2;
  assert.deepEqual(
    data.problems.map(({ code, line: at }) => [code, at]),
    [['binding_range', line]],
  );
  const check = await run<{ fits: boolean; problems: { code: string }[] }[]>(
    'model',
    'check',
    '--id',
    'uneven',
  );
  assert.deepEqual(
    check.data.map(({ fits, problems }) => [fits, problems.length]),
    [
      [true, 1],
      [true, 1],
    ],
  );
});

test('a plan that is not there and a size of another shape than its ratio are warned of', async () => {
  const warningsOf = async (plan: string, size: string) => {
    const text = manifest
      .replace('id: harbour', `id: slips\ntiers: [${plan}]`)
      .replace("ratio: '1:1', width: 64, height: 64", size);
    await writeFile(path.join(operator.directory, 'slips.model.yaml'), text);
    const words = ['model', 'add', '--file', 'slips.model.yaml'];
    const { data } = await operator.run<{ problems: object[]; warnings: string[] }>(...words);
    assert.deepEqual(data.problems, []);
    return data.warnings.filter((warning) => !warning.startsWith('Route own: '));
  };
  assert.deepEqual(await warningsOf('nosuchplan', "ratio: '3:2', width: 512, height: 1024"), [
    'tiers names the plan nosuchplan, which does not exist: nobody has the model by it until it does.',
    'The ratio 3:2 is offered as 512 × 1024, which has another shape.',
  ]);
  const [plan] = (await operator.run<{ key: string }[]>('plan', 'list')).data;
  assert.ok(plan !== undefined);
  assert.deepEqual(await warningsOf(plan.key, "ratio: '2:3', width: 832, height: 1216"), [], 'it is rounded');
});
