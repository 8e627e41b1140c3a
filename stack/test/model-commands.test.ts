import assert from 'node:assert/strict';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { openTestOperator, type TestOperator } from '../src/testing/test-operator.ts';

const root = path.resolve(import.meta.dirname, '../..');
const fixtures = path.join(root, 'manifests/src/fixtures');

let operator: TestOperator;
let directory: string;
before(async () => {
  operator = await openTestOperator();
  directory = operator.directory;
  for (const name of ['easel.model.yaml', 'easel.workflow.json'])
    await copyFile(path.join(fixtures, name), path.join(directory, name));
});
after(() => operator[Symbol.asyncDispose]());

type Problem = { code: string; message: string; line?: number };
type Plan = { key: string; monthly_credits: number };
type Refusal = { problems: Problem[] };
type Applied = Record<'file' | 'kind' | 'id' | 'result', string> & Refusal;

const run = <Data>(...argv: string[]) => operator.run<Data>(...argv);

async function entryOf(id: string): Promise<Record<string, unknown> | undefined> {
  const { data } = await run<{ id: string }[]>('model', 'list');
  return data.find((one) => one.id === id);
}

const changeFile = async (name: string, from: string, to: string): Promise<void> => {
  const file = path.join(directory, name);
  const text = await readFile(file, 'utf8');
  assert.ok(text.includes(from), from);
  await writeFile(
    file,
    text.replace(from, () => to),
  );
};

const nowhere =
  'Route own: No backend of the engine comfyui has the name or label gpu: add one with backend add.';

test('a manifest becomes a draft, then an offer, then another version, and goes back and out', async () => {
  const added = await run<{ parameters: { source: string }[] }>('model', 'add', '--file', 'easel.model.yaml');
  const { parameters, ...rest } = added.data;
  assert.deepEqual(rest, {
    id: 'easel',
    version: 1,
    added: true,
    published: false,
    suites: ['image'],
    price: { base_millicredits: 1000, options: { frame: { true: 500 } } },
    sample: null,
    problems: [],
    warnings: [nowhere],
    files: [],
  });
  assert.deepEqual(parameters[0], {
    name: 'prompt',
    route: 'own',
    target: 'painter.text',
    node: '1',
    source: 'prompt',
    sources: ['prompt', 'styles'],
    sure: 'sure',
    reason: 'the manifest says so',
    confirmed: true,
  });
  assert.deepEqual(await entryOf('easel'), {
    id: 'easel',
    name: 'Easel',
    version: 1,
    published_version: null,
    draft_version: 1,
    suites: ['image'],
    price: { base_millicredits: 1000, options: { frame: { true: 500 } } },
    state: 'draft',
    reason: 'No backend is gpu.',
  });
  await run('model', 'publish', '--id', 'easel');
  assert.equal((await entryOf('easel'))?.['draft_version'], null);
  await run('model', 'add', '--file', 'easel.model.yaml', '--price', '2.5');
  const { data: diff } = await run('model', 'diff', '--id', 'easel');
  assert.deepEqual(diff, {
    id: 'easel',
    published_version: 1,
    version: 2,
    differences: [{ path: 'manifest/price/base_millicredits', before: 1000, after: 2500 }],
  });
  await run('model', 'publish', '--id', 'easel');
  const { data: back } = await run('model', 'publish', '--id', 'easel', '--version', '1');
  assert.deepEqual(back, { id: 'easel', version: 1, warnings: [nowhere] });
  const { state, version, draft_version: draft } = (await entryOf('easel')) ?? {};
  assert.deepEqual([state, version, draft], ['offered', 1, 2]);
  await run('model', 'retire', '--id', 'easel');
  assert.equal((await entryOf('easel'))?.['state'], 'retired');
  const again = await run<Refusal>('model', 'retire', '--id', 'easel');
  assert.equal(again.failed, true);
  assert.match(again.data.problems[0]?.message ?? '', /^The model easel is retired already\.$/);
});

test('what is exported is the same version when it is added again', async () => {
  const out = path.join(directory, 'out');
  const { data } = await run<{ files: string[] }>('model', 'export', '--id', 'easel', '--out', 'out');
  assert.deepEqual(data.files, [path.join(out, 'easel.model.yaml'), path.join(out, 'easel.workflow.json')]);
  const { data: added } = await run<{ version: number; added: boolean }>(
    'model',
    'add',
    '--file',
    'out/easel.model.yaml',
  );
  assert.deepEqual([added.version, added.added], [2, false]);
});

test('an image that a manifest names goes out with it, and comes in again as the same version', async () => {
  await copyFile(path.join(root, 'studio/models/samples/image.png'), path.join(directory, 'easel.png'));
  const text = await readFile(path.join(directory, 'easel.model.yaml'), 'utf8');
  await writeFile(
    path.join(directory, 'framed.yaml'),
    `${text.replace('id: easel', 'id: framed')}thumbnail: easel.png\n`,
  );
  await run('model', 'add', '--file', 'framed.yaml');
  const { data } = await run<{ files: string[] }>('model', 'export', '--id', 'framed', '--out', 'framed');
  assert.ok(data.files.includes(path.join(directory, 'framed/easel.png')));
  const { data: added } = await run<{ version: number; added: boolean }>(
    'model',
    'add',
    '--file',
    'framed/framed.model.yaml',
  );
  assert.deepEqual([added.version, added.added], [1, false]);
});

test('a model that is refused says why with its lines, and is not there', async () => {
  const text = await readFile(path.join(directory, 'easel.model.yaml'), 'utf8');
  await writeFile(
    path.join(directory, 'broken.yaml'),
    text.replace('id: easel', 'id: broken').replace('painter.steps:', 'painter.stpes:'),
  );
  const { data, failed } = await run<Refusal & Record<'version' | 'price' | 'sample', unknown>>(
    'model',
    'add',
    '--file',
    'broken.yaml',
    '--publish',
  );
  assert.equal(failed, true);
  assert.deepEqual([data.version, data.price, data.sample], [null, null, null]);
  assert.deepEqual(
    data.problems.map(({ code, line }) => [code, line]),
    [['input_missing', 28]],
  );
  assert.equal(await entryOf('broken'), undefined);
  const { text: words } = await operator.type('model', 'add', '--file', 'broken.yaml');
  assert.match(words, /^line 28: .*no input stpes.*\(input_missing\)$/);
});

test('a binding is changed by one command, and the comments of the file stay', async () => {
  await changeFile('easel.model.yaml', 'id: easel', '# Of the attic.\nid: easel-2');
  await run('model', 'add', '--file', 'easel.model.yaml');
  const wrong = await run('model', 'bind', '--id', 'easel-2', '--target', 'painter.steps', '--source', 'cfg');
  assert.equal(wrong.failed, true);
  const { data } = await run<{ parameters: object[] }>(
    'model',
    'bind',
    '--id',
    'easel-2',
    '--target',
    'canvas.height',
    '--source',
    'width',
  );
  const { parameters, ...rest } = data;
  assert.deepEqual(rest, {
    id: 'easel-2',
    version: 2,
    added: true,
    published: false,
    suites: ['image'],
    price: { base_millicredits: 1000, options: { frame: { true: 500 } } },
    target: 'canvas.height',
    source: 'width',
    problems: [],
    warnings: [nowhere],
  });
  assert.ok(parameters.length > 0);
  await run('model', 'export', '--id', 'easel-2', '--out', 'bound');
  const text = await readFile(path.join(directory, 'bound/easel-2.model.yaml'), 'utf8');
  assert.match(text, /# Of the attic\.\nid: easel-2\n/);
  assert.match(text, /canvas\.height: \{ from: width \}/);
  const several = await run<{ version: number; target: string; source: string }>(
    'model',
    'bind',
    '--id',
    'easel-2',
    '--target',
    'canvas.width,canvas.height',
    '--source',
    'height, width',
  );
  const { version, target, source } = several.data;
  assert.deepEqual([version, target, source], [3, 'canvas.width,canvas.height', 'height,width']);
  await assert.rejects(
    run('model', 'bind', '--id', 'easel-2', '--target', 'canvas.width,canvas.height', '--source', 'width'),
    /a source for each target: there are 2 targets and 1 sources/,
  );
});

test('a folder is applied as a whole or not at all', async () => {
  const folder = path.join(directory, 'catalog');
  await mkdir(folder);
  for (const name of ['easel.workflow.json', 'easel.model.yaml'])
    await copyFile(path.join(directory, name), path.join(folder, name));
  await writeFile(
    path.join(folder, 'styles.yaml'),
    'styles:\n  - { id: sty_a, name: A, type: image, word: x }\n',
  );
  const refused = await run<Applied[]>('apply', '--file', 'catalog');
  assert.equal(refused.failed, true);
  assert.deepEqual(
    refused.data.map(({ file, result }) => [path.basename(file), result]),
    [
      ['styles.yaml', 'refused'],
      ['easel.model.yaml', 'kept'],
    ],
  );
  await changeFile('catalog/styles.yaml', 'word:', 'words:');
  const applied = await run<Applied[]>('apply', '--file', 'catalog');
  assert.deepEqual(
    applied.data.map(({ kind, id, result }) => [kind, id, result]),
    [
      ['styles', 'styles', 'applied'],
      ['model', 'easel-2', 'applied'],
    ],
  );
  const { data: styles } = await run('style', 'list');
  assert.deepEqual(styles, [{ id: 'sty_a', name: 'A', type: 'image', words: 'x' }]);
  assert.equal((await entryOf('easel-2'))?.['state'], 'offered');
  const again = await run<Applied[]>('apply', '--file', 'catalog/easel.model.yaml');
  assert.equal(again.data[0]?.result, 'unchanged');
});

test('a plan that accounts have cannot be left out', async () => {
  await run('account', 'create', '--email', 'ada@example.org');
  const { data: plans } = await run<Plan[]>('plan', 'list');
  const [first] = plans;
  assert.ok(first !== undefined);
  assert.deepEqual(Object.keys(first), [
    'key',
    'name',
    'monthly_credits',
    'limits',
    'capabilities',
    'weight',
    'storage_bytes',
    'stop_refund',
  ]);
  await writeFile(path.join(directory, 'mine.json'), JSON.stringify({ plans: [{ ...first, key: 'team' }] }));
  const { data, failed } = await run<Applied[]>('plan', 'apply', '--file', 'mine.json');
  assert.equal(failed, true);
  assert.match(data[0]?.problems[0]?.message ?? '', new RegExp(`plan ${first.key}`));
  await writeFile(
    path.join(directory, 'mine.json'),
    JSON.stringify({
      plans: [
        { ...first, monthly_credits: 7 },
        { ...first, key: 'team' },
      ],
    }),
  );
  assert.equal((await run<Applied[]>('plan', 'apply', '--file', 'mine.json')).data[0]?.result, 'applied');
  const { data: listed } = await run<Plan[]>('plan', 'list');
  assert.deepEqual(
    listed.map(({ key, monthly_credits: credits }) => [key, credits]),
    [
      [first.key, 7],
      ['team', first.monthly_credits],
    ],
  );
  const { data: older } = await run<Plan[]>('plan', 'list', '--version', '1');
  assert.deepEqual(older, plans);
  const { text } = await operator.type('plan', 'list');
  assert.match(text, /, 1 (image|edit|video)\b/);
  assert.doesNotMatch(text, /\b1 (images|edits|videos)/);
  // Nobody has the plan `team`, which that version does not contain.
  assert.deepEqual((await run('plan', 'publish', '--version', '1')).data, { version: 3, changed: true });
  assert.deepEqual((await run<Plan[]>('plan', 'list')).data, plans);
  const again = await run('plan', 'publish', '--version', '1');
  assert.deepEqual([again.failed, again.data], [false, { version: 3, changed: false }]);
  const none = await run<Refusal>('plan', 'publish', '--version', '9');
  assert.deepEqual(
    [none.failed, none.data.problems[0]?.message],
    [true, 'There is no version 9 of the plans.'],
  );
});

test('routes that no backend can make say so', async () => {
  const { data, failed } = await run<Refusal[]>('model', 'check', '--id', 'easel-2');
  assert.equal(failed, true);
  const [{ problems, ...fit }] = data as [Refusal];
  assert.deepEqual(fit, { id: 'easel-2', route: 'own', backend: null, fits: false, warnings: [] });
  assert.equal(problems[0]?.code, 'unknown_backend');
});
