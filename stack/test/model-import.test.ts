import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { coreObjectInfo } from '@renderkit/engine-comfyui/testing/core-classes.ts';
import { writeJson } from '@renderkit/engine-comfyui/json.ts';
import { openTestOperator, type TestOperator } from '../src/testing/test-operator.ts';

const fixtures = path.resolve(import.meta.dirname, '../../engines/comfyui/fixtures');
const objectInfo = writeJson(coreObjectInfo);

let operator: TestOperator;
let directory: string;
const asked: string[] = [];
/** Answers for one class at a time, as ComfyUI does; it has no other route. */
const server = createServer((request, response) => {
  const [, name = ''] = /^\/object_info\/(\w+)$/.exec(request.url ?? '') ?? [];
  if (name !== '') asked.push(name);
  const known = (JSON.parse(objectInfo) as Record<string, unknown>)[name];
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(known === undefined ? {} : { [name]: known }));
});

before(async () => {
  operator = await openTestOperator();
  directory = operator.directory;
  await writeFile(path.join(directory, 'classes.json'), objectInfo);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
after(async () => {
  server.close();
  await operator[Symbol.asyncDispose]();
});

type Imported = {
  id: string;
  version: number;
  published: boolean;
  price: object;
  parameters: { target: string; node: string; source: string; sure: string; reason: string }[];
  problems?: { code: string; message: string }[];
};

const run = <Data>(...argv: string[]) => operator.run<Data>(...argv);

const add = (file: string, ...more: string[]) =>
  run<Imported>('model', 'add', '--file', path.join(fixtures, file), ...more);
const offline = ['--on', 'gpu1', '--object-info', 'classes.json'];

test('a backend is asked for the classes of the workflow and no others', async () => {
  const { port } = server.address() as AddressInfo;
  await run('backend', 'add', '--name', 'gpu1', '--engine', 'comfyui', '--url', `http://127.0.0.1:${port}`);
  const { data } = await add(
    'conversions/plain.ui.json',
    '--on',
    'gpu1',
    '--id',
    'asked',
    '--no-sample',
    '--publish',
  );
  assert.deepEqual([data.id, data.published, data.price], ['asked', true, { base_millicredits: 1000 }]);
  const workflow = [
    'CheckpointLoaderSimple',
    'CLIPTextEncode',
    'EmptyLatentImage',
    'KSampler',
    'Note',
    'VAEDecode',
  ];
  const replacements = ['LoadImage', 'LoadImageMask', 'SaveImage'];
  assert.deepEqual(asked.toSorted(), [...workflow, ...replacements].toSorted());
});

test('a model on offer keeps its price when its workflow is added again', async () => {
  await add('conversions/plain.ui.json', ...offline, '--id', 'kept', '--price', '3.5', '--publish');
  const { data } = await add('conversions/plain.api.json', ...offline, '--id', 'kept');
  assert.deepEqual(data.price, { base_millicredits: 3500 });
});

test('a seed keeps its 64 bits on the way', async () => {
  await add('conversions/seed-64-bit.ui.json', ...offline, '--id', 'long-seed', '--out', 'long');
  const workflow = await readFile(path.join(directory, 'long/long-seed.workflow.json'), 'utf8');
  assert.match(workflow, /"seed": ?18446744073709551615\b/);
  const { data } = await run<{ files: string[] }>(
    'model',
    'export',
    '--id',
    'long-seed',
    '--out',
    'exported',
  );
  const exported = await readFile(data.files.find((file) => file.endsWith('workflow.json')) ?? '', 'utf8');
  assert.equal(exported, workflow);
});

const refusals: readonly (readonly [why: string, file: string, code: string, more: readonly string[]])[] = [
  ['a group node', 'conversions/group-node.ui.json', 'group_node', offline],
  ['a file that is no workflow', 'shapes/roles.json', 'not_a_workflow', offline],
  ['a workflow of no backend', 'conversions/plain.ui.json', 'unknown_backend', []],
  ['a backend that is not there', 'conversions/plain.ui.json', 'unknown_backend', ['--on', 'gpu9']],
];
for (const [why, file, code, more] of refusals)
  test(`${why} is refused with its code, and nothing is added`, async () => {
    const { data, failed } = await add(file, ...more, '--id', 'refused');
    assert.equal(failed, true);
    assert.equal(data.problems?.[0]?.code, code);
    const { data: models } = await run<{ id: string }[]>('model', 'list');
    assert.ok(!models.some(({ id }) => id === 'refused'));
  });

test('a file that cannot be read is named in one sentence', async () => {
  await assert.rejects(add('nothing.png', ...offline), /nothing\.png cannot be read: ENOENT\.$/);
  await writeFile(path.join(directory, 'words.json'), 'words');
  await assert.rejects(
    add('conversions/plain.ui.json', '--on', 'gpu1', '--object-info', 'words.json'),
    /words\.json is no answer of GET \/object_info/,
  );
});
