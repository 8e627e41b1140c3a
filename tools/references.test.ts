import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { findDeadReferences, type Text } from './references.ts';

const root = path.resolve(import.meta.dirname, '..');
const written = /\.(?:md|ts|tsx|mjs|css)$|\.sql$/;
/**
 * Files that are not checked: this test names missing files on purpose, and landed migrations and past changes are
 * never edited.
 */
const left = /^tools\/references\.test\.ts$|\/sql\/(?:migrations\/|schema\.sql$)|^CHANGELOG\.md$/;

function readTree(): { texts: Text[]; paths: string[] } {
  const paths = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file !== '');
  const texts = paths
    .filter((file) => written.test(file) && !left.test(file))
    .flatMap((file) => {
      try {
        return [{ path: file, text: readFileSync(path.join(root, file), 'utf8') }];
      } catch {
        return [];
      }
    });
  return { texts, paths };
}

test('what comments and documents name is in the tree', () => {
  const { texts, paths } = readTree();
  assert.deepEqual(findDeadReferences(texts, paths), []);
});

const paths = ['docs/api.md', 'docs/reliability.md', 'docs/decisions/0001-order.md', 'service/src/app.ts'];
const documents = [
  { path: 'docs/api.md', text: '# The API\n\n## 4. Endpoints\n' },
  { path: 'docs/reliability.md', text: '| I3 | never two |\n' },
];

for (const good of [
  '// docs/api.md §4',
  '// decision 0001',
  '// docs/reliability.md I3',
  '/** Made by\n * service/src/app.ts. */',
  '// as docs/FILE.md, or RFC 9110 §10.2.3',
  "const file = 'service/src/made-up.ts';",
])
  test(`found: ${JSON.stringify(good)}`, () => {
    assert.deepEqual(findDeadReferences([...documents, { path: 'a.ts', text: good }], paths), []);
  });

for (const dead of [
  '// specification §4',
  '/** specification\n * §4 */',
  '// reliability T1',
  '// docs/api.md §4 and §14',
  '/** docs/api.md\n * §14 */',
  '// decision 0077',
  '// docs/reliability.md I30',
  '// docs/gone.md',
  '// service/src/gone.ts',
  '// service/gone/',
])
  test(`leads nowhere: ${JSON.stringify(dead)}`, () => {
    assert.equal(findDeadReferences([...documents, { path: 'a.ts', text: dead }], paths).length, 1);
  });

test('a link of a document leads to a file and to a heading', () => {
  const text = '[a](docs/api.md#4-endpoints) [b](docs/api.md#5-keys) [c](docs/none.md) [d](#here)\n## Here\n';
  assert.deepEqual(findDeadReferences([...documents, { path: 'README.md', text }], paths), [
    'README.md:1: docs/none.md',
    'README.md:1: ](docs/api.md#5-keys)',
    'README.md:1: ](docs/none.md)',
  ]);
});
