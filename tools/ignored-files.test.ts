import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

const root = path.resolve(import.meta.dirname, '..');
const git = (...args: string[]) => spawnSync('git', ['-C', root, ...args], { encoding: 'utf8' });
const skip = git('rev-parse', '--git-dir').status !== 0 && 'this is no git checkout, or git is missing';

/** Words after `--to` that are not files: a placeholder, and the two kinds of storage. */
const notFiles = new Set(['FILE', 's3', 'disk']);

test('data, backups and what the documents save are ignored by git', { skip }, async () => {
  const names = [
    '.data',
    '.data/secret-key',
    'renderkit.backup',
    'renderkit.backup.unfinished',
    'picture.png',
    '.env',
  ];
  // Other paths inside the clone that the documents suggest.
  for await (const file of glob(['README.md', 'docs/**/*.md'], { cwd: root })) {
    const text = await readFile(path.join(root, file), 'utf8');
    for (const [, name = ''] of text.matchAll(/(?:DATA_DIR=|--to )["']?([\w./-]+)/g))
      if (!path.isAbsolute(name) && !notFiles.has(name)) names.push(name);
  }
  const open = names.filter((name) => git('check-ignore', '--quiet', '--no-index', name).status !== 0);
  assert.deepEqual(open, [], 'git would take these: name them in .gitignore, or suggest another name');
});

test('nothing that the project needs is ignored', { skip }, () => {
  const { stdout } = git('ls-files', '--cached', '--ignored', '--exclude-standard');
  assert.equal(stdout, '');
});
