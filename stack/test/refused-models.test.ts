import assert from 'node:assert/strict';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { openTestOperator, type TestOperator } from '../src/testing/test-operator.ts';

const fixtures = path.resolve(import.meta.dirname, '../../manifests/src/fixtures');

let operator: TestOperator;
let directory: string;
before(async () => {
  operator = await openTestOperator();
  directory = operator.directory;
  await copyFile(path.join(fixtures, 'easel.workflow.json'), path.join(directory, 'easel.workflow.json'));
});
after(() => operator[Symbol.asyncDispose]());

type Refused = { id: string | null; problems: { code: string; message: string; line?: number }[] };

/** Writes the manifest of the model easel with a change, and adds it as a model. */
async function add(
  from: string,
  to: string,
  ...words: string[]
): Promise<{ data: Refused; failed: boolean }> {
  const text = await readFile(path.join(fixtures, 'easel.model.yaml'), 'utf8');
  assert.ok(text.includes(from), from);
  await writeFile(path.join(directory, 'easel.model.yaml'), text.replace(from, to));
  return operator.run<Refused>('model', 'add', '--file', 'easel.model.yaml', ...words);
}

test('a workflow that is not beside its manifest is told with the line that names it', async () => {
  const { data } = await add('easel.workflow.json', 'nope.json');
  assert.deepEqual(data.problems, [
    { code: 'file_missing', message: 'There is no file nope.json.', line: 20 },
  ]);
});

for (const [what, from, to] of [
  ['makes no sense', 'painter.steps:', 'painter.stpes:'],
  ['cannot be read', 'suites: [image]', 'suites: [picture]'],
  ['names a file that is missing', 'easel.workflow.json', 'nope.json'],
] as const)
  test(`a refused manifest that ${what} is told with the id that it names`, async () => {
    const { data, failed } = await add(from, to);
    assert.deepEqual([data.id, failed], ['easel', true]);
    assert.equal((await add(from, to, '--id', 'other')).data.id, 'other');
  });

test('a refused manifest without an id is told without one', async () => {
  assert.equal((await add('id: easel', 'no: easel')).data.id, null);
});

test('a folder is no model, and its operator is told what takes one', async () => {
  for (const name of ['folder', 'folder.model.yaml']) {
    await mkdir(path.join(directory, name));
    await assert.rejects(
      operator.run('model', 'add', '--file', name),
      /^StackError: .* is a folder: name one file, or have a folder of models applied by apply --file\.$/,
    );
  }
});
