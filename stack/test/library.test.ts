import assert from 'node:assert/strict';
import { access, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { openTestOperator, type TestOperator } from '../src/testing/test-operator.ts';

/** A PNG of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
);

let typed: TestOperator;
before(async () => {
  typed = await openTestOperator();
});
after(() => typed[Symbol.asyncDispose]());

const operator = async (...argv: string[]) => (await typed.run(...argv)).data;

test('an operator puts a file into the library of an account, and is told what cannot be put there', async () => {
  const { directory } = typed;
  const email = 'ada@example.org';
  await operator('account', 'create', '--email', email);
  await writeFile(path.join(directory, 'pixel.png'), pixel);
  await writeFile(path.join(directory, 'words.png'), 'words');
  const add = (...more: string[]) => operator('library', 'add', '--email', email, ...more);
  const item = await add('--file', 'pixel.png', '--prompt', 'a single pixel');
  assert.deepEqual(
    { ...item, id: '' },
    { email, id: '', type: 'image', width: 1, height: 1, duration: null, project_id: null },
  );
  await access(path.join(directory, 'data', 'media'));
  await assert.rejects(add('--file', 'words.png'), /words\.png cannot be added: The file is text/);
  await assert.rejects(add('--file', 'nothing.png'), /nothing\.png cannot be added: ENOENT/);
  await assert.rejects(add('--file', 'pixel.png', '--project', 'prj_1'), /no project prj_1/);
  await assert.rejects(add(), /needs --file F/);
  await assert.rejects(
    operator('library', 'add', '--email', 'bob@example.org', '--file', 'pixel.png'),
    /no account with the address bob@example\.org/,
  );
});
