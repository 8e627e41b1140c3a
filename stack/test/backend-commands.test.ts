import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { checkSteps, greyImage } from '@renderkit/engine-kit/full-check.ts';
import { ImagesCounterpart } from '@renderkit/engine-openai-images/testing/counterpart.ts';
import { createTestDatabase, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import type { Backend } from '@renderkit/studio/backends/backend.ts';
import { commands } from '../src/operator/commands.ts';
import { runOperator } from '../src/operator/run-operator.ts';

const owners = new AsyncDisposableStack();
let environment: Record<string, string | undefined>;
let studio: TestDatabase;
before(async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'renderkit-backends-'));
  owners.defer(() => rm(directory, { recursive: true, force: true }));
  const service = owners.use(await createTestDatabase('service'));
  studio = owners.use(await createTestDatabase('studio'));
  environment = {
    PATH: process.env['PATH'],
    DATA_DIR: directory,
    DATABASE_URL: service.url,
    STUDIO_DATABASE_URL: studio.url,
    FAL_KEY: 'sk-secret',
    TEAM: 'blue',
    EMPTY: '',
  };
});
after(() => owners.disposeAsync());

async function operator<Data>(...argv: string[]): Promise<{ data: Data; failed: boolean; text: string }> {
  const { text, failed } = await runOperator(commands, [...argv, '--json'], environment);
  return { data: JSON.parse(text) as Data, failed, text };
}

test('what comes with the product is there from the first start', async () => {
  const { data } = await operator<Backend[]>('backend', 'list');
  assert.deepEqual(
    data.map((backend) => ({ ...backend, since: '' })),
    ['procedural', 'sandbox'].map((name) => ({
      name,
      engine: name,
      url: null,
      state: 'ready',
      reason: null,
      since: '',
      slots: null,
      in_use: 0,
      labels: [],
      cost_today: 0,
    })),
  );
});

test('what providers cost is told, and that none was used', async () => {
  assert.deepEqual((await operator('costs', '--days', '7')).data, []);
  const { text } = await runOperator(commands, ['costs'], environment);
  assert.equal(text, 'No paid backend was used.');
});

test('a backend is added, changed, drained, taken in again and removed', async () => {
  const added = ['backend', 'add', '--name', 'fal', '--engine', 'fal', '--url', 'http://127.0.0.1:9/'];
  const settings = `--secret-env FAL_KEY --header X-Team=env:TEAM --labels paid,eu --slots 20
    --max-cost-per-day 20 --currency USD`.split(/\s+/);
  // Nothing listens on this port.
  const { data, failed, text } = await operator<Backend>(...added, ...settings);
  assert.deepEqual(
    [data.name, data.url, data.state, data.slots, data.labels, failed],
    ['fal', 'http://127.0.0.1:9', 'down', 20, ['paid', 'eu'], false],
  );
  assert.notEqual(data.reason, null);
  assert.doesNotMatch(text, /sk-secret|blue/);
  await assert.rejects(operator(...added), /^StackError: There is already a backend fal/);
  const named = ['--name', 'fal'];
  const set = await operator<Backend>('backend', 'set', ...named, '--slots', '2', '--labels', '');
  assert.deepEqual([set.data.slots, set.data.labels], [2, []]);
  assert.equal((await operator('backend', 'check', ...named)).failed, true, 'it does not answer');
  assert.equal(
    (await operator<Backend>('backend', 'drain', ...named, '--within', '10m')).data.state,
    'off',
    'nothing runs there, and no worker has to say so',
  );
  assert.equal((await operator<Backend>('backend', 'resume', ...named)).data.state, 'down');
  await operator('backend', 'remove', ...named);
  await assert.rejects(operator('backend', 'check', ...named), /^StackError: There is no backend fal\.$/);
});

test('the models that a removed backend leaves without one are named', async () => {
  const add = async (name: string) =>
    operator(
      'backend',
      'add',
      '--name',
      name,
      '--engine',
      'fal',
      '--labels',
      'paid',
      '--url',
      'http://127.0.0.1:9/',
    );
  await add('first');
  await add('second');
  const file = path.join(environment['DATA_DIR'] ?? '', 'ember.model.yaml');
  const example = await readFile(
    path.resolve(import.meta.dirname, '../../engines/fal/examples/ember.model.yaml'),
    'utf8',
  );
  await writeFile(file, example.replaceAll(/on: \[.*\]/g, 'on: [paid]'));
  assert.equal((await operator('apply', '--file', file)).failed, false);
  const remove = async (name: string) => (await operator('backend', 'remove', '--name', name)).data;
  assert.deepEqual(await remove('first'), { name: 'first', models_without_backend: [] });
  assert.deepEqual(await remove('second'), { name: 'second', models_without_backend: ['ember'] });
  await add('second');
  const { text } = await runOperator(commands, ['backend', 'remove', '--name', 'second'], environment);
  assert.match(text, /^second is removed\.\nember has no backend any more: /);
  await add('other');
  assert.deepEqual(
    await operator('backend', 'set', '--name', 'other', '--labels', '').then(() => remove('other')),
    { name: 'other', models_without_backend: [] },
    'it had none before',
  );
});

test('a header stays where its variable is not set, and goes where that is empty', async () => {
  await operator('backend', 'add', '--name', 'team', '--engine', 'fal', '--header', 'X-Team=env:TEAM');
  const hasHeaders = async () => {
    const rows = await studio.database.rows<{ headers: string | null }>(
      "select headers from backends where name = 'team'",
    );
    return rows[0]?.headers !== null;
  };
  const set = (variable: string) =>
    operator('backend', 'set', '--name', 'team', '--header', `X-Team=env:${variable}`);
  await assert.rejects(set('TYPO'), /TYPO, but that variable is not set/);
  assert.equal(await hasHeaders(), true);
  await set('EMPTY');
  assert.equal(await hasHeaders(), false);
});

test('a program of this machine is a backend that is ready', async () => {
  const { data } = await operator<Backend>(
    'backend',
    'add',
    '--name',
    'here',
    '--engine',
    'command',
    '--slots',
    '1',
  );
  assert.deepEqual([data.state, data.url, data.slots], ['ready', null, 1]);
  const { text } = await runOperator(commands, ['backend', 'list'], environment);
  assert.match(text, /^NAME +ENGINE +STATE/m);
  assert.match(text, /^here +command +ready +0\/1/m);
});

test('a full check tells of each of its steps, and fails with them', async () => {
  // Nothing listens on this port.
  await operator('backend', 'add', '--name', 'gpu9', '--engine', 'comfyui', '--url', 'http://127.0.0.1:9');
  const { data, failed } = await operator<{ name: string; ok: boolean }[]>(
    'backend',
    'check',
    '--name',
    'gpu9',
    '--full',
  );
  assert.deepEqual([data.map(({ name, ok }) => [name, ok]), failed], [[['reach', false]], true]);
});

type Checked = { name: string; ok: boolean; message: string; seconds: number }[];

test('every engine is walked through the same twelve steps, also those of the workers', async () => {
  for (const name of ['procedural', 'sandbox']) {
    const { data, failed } = await operator<Checked>('backend', 'check', '--name', name, '--full');
    assert.deepEqual([data.map((step) => step.name), failed], [[...checkSteps], false]);
    const messages = new Map(data.map((step) => [step.name, step.message]));
    assert.equal(messages.get('render'), 'A picture of 64 by 64 pixels was drawn.');
    assert.equal(messages.get('interrupt by id'), 'A picture under way was ended.');
    assert.match(messages.get('invalid graph') ?? '', /no-such-model/);
    assert.match(messages.get('queue delete') ?? '', /^Not there: /);
  }
});

test('a full check asks a provider for jobs up to the amount that --spend allows', async () => {
  await using counterpart = await new ImagesCounterpart().start();
  counterpart.resultOf = () => greyImage;
  await operator('backend', 'add', '--name', 'paid', '--engine', 'openai-images', '--url', counterpart.base);
  const argv = ['backend', 'check', '--name', 'paid', '--full'];
  const free = await operator<Checked>(...argv);
  assert.deepEqual([counterpart.jobs, free.failed], [0, false]);
  assert.deepEqual((await operator<object[]>('costs')).data, []);
  const paid = await operator<Checked>(...argv, '--spend', '0.02');
  assert.deepEqual([counterpart.jobs, paid.failed], [1, false]);
  type Cost = { backend: string; spent: number; reserved: number; jobs: number };
  const costs = async () =>
    (await operator<Cost[]>('costs')).data.map(({ backend, spent, reserved, jobs }) => [
      backend,
      spent,
      reserved,
      jobs,
    ]);
  assert.deepEqual(await costs(), [['paid', 0.02, 0, 1]]);
  await operator('backend', 'set', '--name', 'paid', '--max-cost-per-day', '0.03', '--currency', 'USD');
  const barred = await operator<Checked>(...argv, '--spend', '1');
  assert.match(barred.data.find(({ name }) => name === 'render')?.message ?? '', /limit of the day/);
  assert.deepEqual([counterpart.jobs, await costs()], [1, [['paid', 0.02, 0, 1]]]);
  await studio.database.execute("update provider_costs set currency = 'EUR' where backend = 'paid'");
  const foreign = await operator<Checked>(...argv, '--spend', '1');
  assert.match(foreign.data.find(({ name }) => name === 'render')?.message ?? '', /today is in EUR, .* USD/);
  assert.deepEqual([counterpart.jobs, await costs()], [1, [['paid', 0.02, 0, 1]]]);
});

for (const [argv, sentence] of [
  [['add', '--name', 'x', '--engine', 'comfy'], /--engine is "comfy", but it must be one of procedural/],
  [['add', '--name', 'x', '--engine', 'comfyui'], /needs an address/],
  [['add', '--name', 'x', '--engine', 'fal', '--secret-env', 'NONE'], /NONE, but that variable is not set/],
  [['set', '--name', 'sandbox', '--header', 'A=b'], /must be NAME=env:VARIABLE/],
  [['drain', '--name', 'sandbox', '--within', 'soon'], /must be a time such as 30s/],
  [['check', '--name', 'sandbox', '--spend', '1'], /--spend belongs to --full/],
  [['check', '--name', 'nobody', '--full'], /There is no backend nobody/],
  [['remove', '--name', 'sandbox'], /comes with the product/],
] as const)
  test(`backend ${argv.join(' ')} is refused with a sentence`, async () => {
    await assert.rejects(operator('backend', ...argv), sentence);
  });

test('moderation rules are put in force by a command, and broken ones change nothing', async () => {
  const file = path.join(environment['DATA_DIR'] ?? '', 'rules.json');
  await assert.rejects(operator('moderation', 'show'), /has not put any rules in force yet/);
  const rules = { rules: [{ reason: 'airships', phrases: ['zeppelin'] }] };
  await writeFile(file, JSON.stringify(rules));
  const applied = await operator<{ result: string }>('moderation', 'apply', '--file', file);
  assert.equal(applied.data.result, 'applied');
  assert.equal(
    (await operator<{ result: string }>('moderation', 'apply', '--file', file)).data.result,
    'unchanged',
  );
  await writeFile(file, '{"rules": 5}');
  await assert.rejects(
    operator('moderation', 'apply', '--file', file),
    /rules must be a list\): mend the file/,
  );
  await rm(file);
  await assert.rejects(operator('moderation', 'apply', '--file', file), /There is no file/);
  assert.deepEqual((await operator('moderation', 'show')).data, rules);
});
