import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';

const root = path.resolve(import.meta.dirname, '..');
const git = (...args: string[]) => spawnSync('git', ['-C', root, ...args], { encoding: 'utf8' });
const skip = git('rev-parse', '--git-dir').status !== 0 && 'this is no git checkout, or git is missing';

/** Limit for the files that name one numeric option of a request. Two of these files are generated. */
const maxFiles = 10;

test('a numeric option of a request is named in few places', { skip }, () => {
  const asides = ['*.test.ts', '*.md', 'e2e', '*/fixtures/*', 'service/test', 'studio/test'];
  const { status, stdout, stderr } = git(
    'grep',
    '-liE',
    'clip_?skip',
    '--',
    '.',
    ...asides.map((aside) => `:(exclude)${aside}`),
  );
  assert.equal(status, 0, stderr);
  const files = stdout.trim().split('\n');
  assert.ok(
    files.length <= maxFiles,
    [
      `${files.length} files name clip_skip, and ${maxFiles} may. A new option would have to be added in each of them.`,
      'Derive it from settingNames and kindFacts in contract/studio/kinds.ts, in clients from createFields and rangeNames',
      'in clients/sdk/src/objects.generated.ts:',
      ...files.map((file) => `  ${file}`),
    ].join('\n'),
  );
});
