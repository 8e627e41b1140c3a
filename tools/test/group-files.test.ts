import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { groupFiles, writeGroup } from './group-files.ts';

const run = promisify(execFile);
const share = path.join(import.meta.dirname, '../../server-kit/src/testing/share.ts');

/** Creates a tree of test files, by path. */
async function treeOf(files: Record<string, string>) {
  const root = await mkdtemp(path.join(tmpdir(), 'renderkit-groups-'));
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, file)), { recursive: true });
    await writeFile(path.join(root, file), text);
  }
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}

test('what takes longest begins first, and files that share a platform share a process', async () => {
  const files = {
    'tools/a.test.ts': '',
    'tools/b.test.ts': '',
    'tools/waits.test.ts': 'const one = await open();',
    'e2e/facades/first.test.ts': 'before(async () => (platform = await sharedPlatform()));',
    'e2e/own.test.ts': '',
    'e2e/second.test.ts': 'before(async () => (platform = await sharedPlatform()));',
    'e2e/console/page.test.ts': 'before(async () => (world = await sharedConsoleWorld()));',
    'e2e/console/whole.slow.test.ts': 'before(async () => (world = await sharedConsoleWorld()));',
    'studio/test/lost.slow.test.ts': '',
  };
  await using tree = await treeOf(files);
  assert.deepEqual(groupFiles(Object.keys(files), tree.root), [
    ['e2e/console/page.test.ts', 'e2e/console/whole.slow.test.ts'],
    ['e2e/facades/first.test.ts', 'e2e/second.test.ts'],
    ['studio/test/lost.slow.test.ts'],
    ['e2e/own.test.ts'],
    ['tools/a.test.ts', 'tools/b.test.ts'],
    ['tools/waits.test.ts'],
  ]);
});

test('every file of this tree runs once', async () => {
  const root = path.join(import.meta.dirname, '../..');
  const files: string[] = [];
  const exclude = (name: string) => name.includes('node_modules');
  for await (const file of glob('*/**/*.test.ts', { cwd: root, exclude })) files.push(file);
  assert.ok(files.length > 100);
  assert.deepEqual(groupFiles(files, root).flat().sort(), files.sort());
});

test('a file that asks for both, or only speaks of one, is in one group', async () => {
  const both = 'platform = await sharedPlatform(); world = await sharedConsoleWorld();';
  const files = { 'e2e/both.test.ts': both, 'tools/speaks.test.ts': `const text = '${both}';` };
  await using tree = await treeOf(files);
  assert.deepEqual(groupFiles(Object.keys(files), tree.root), [
    ['e2e/both.test.ts'],
    ['tools/speaks.test.ts'],
  ]);
});

test('what files of a process share is opened once, and disposed after the last of them', async () => {
  const user = (name: string) => `
    import { test } from 'node:test';
    import { note, shared } from './shared.ts';
    test('uses it', async () => { await shared(); note(${JSON.stringify(name)}); });
  `;
  const files = {
    'shared.ts': `
      import { appendFileSync } from 'node:fs';
      import path from 'node:path';
      import { share } from ${JSON.stringify(share)};
      export const note = (word: string) => appendFileSync(path.join(import.meta.dirname, 'notes'), word + ' ');
      export const shared = share(async () => {
        note('opened');
        return { [Symbol.asyncDispose]: async () => note('disposed') };
      });
    `,
    'one.test.ts': user('one'),
    'two.test.ts': user('two'),
  };
  await using tree = await treeOf(files);
  const program = await writeGroup(tree.root, {
    name: 'group',
    root: tree.root,
    files: ['one.test.ts', 'two.test.ts'],
    timeoutMs: 60_000,
    cpuFile: path.join(tree.root, 'cpu'),
  });
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  await run(process.execPath, [program], { env });
  assert.equal(await readFile(path.join(tree.root, 'notes'), 'utf8'), 'opened one two disposed ');
});
