import assert from 'node:assert/strict';
import { glob, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { connectText } from './connect-document.ts';
import { sandboxText } from './sandbox-document.ts';

const root = path.resolve(import.meta.dirname, '..');

test('every decision is in the index, and the index has no other', async () => {
  const folder = path.join(root, 'docs/decisions');
  const records = (await readdir(folder)).filter((name) => name !== 'README.md').sort();
  const index = await readFile(path.join(folder, 'README.md'), 'utf8');
  const listed = [...index.matchAll(/\((\d{4}-[^)]+)\)/g)].map(([, name]) => name);
  assert.deepEqual(listed, records);
  for (const name of records) {
    const [heading = ''] = (await readFile(path.join(folder, name), 'utf8')).split('\n');
    assert.ok(heading.startsWith(`# ${name.slice(0, 4)} `), name);
  }
});

test('every run-time dependency has its line in the decisions', async () => {
  const record = await readFile(path.join(root, 'docs/decisions/0020-run-time-dependencies.md'), 'utf8');
  const { workspaces } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
    workspaces: string[];
  };
  const packages = workspaces.map((workspace) => `${workspace}/package.json`);
  for await (const file of glob(packages, { cwd: root })) {
    const text = await readFile(path.join(root, file), 'utf8');
    const { dependencies = {} } = JSON.parse(text) as { dependencies?: Record<string, string> };
    for (const name of Object.keys(dependencies)) {
      if (!name.startsWith('@renderkit/')) assert.ok(record.includes(`\`${name}\``), `${file}: ${name}`);
    }
  }
});

test('docs/sandbox.md is what the recipes of the contract say', async () => {
  const text = await readFile(path.join(root, 'docs/sandbox.md'), 'utf8');
  assert.equal(text, sandboxText(), 'run tools/generate-sandbox.ts');
});

test('the tables of docs/connect.md are what the doors do', async () => {
  const text = await readFile(path.join(root, 'docs/connect.md'), 'utf8');
  assert.equal(text, connectText(text), 'run `node stack/launch.mjs --dev tools/generate-connect.ts`');
});
