import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const root = path.resolve(import.meta.dirname, '../..');
const maxFiles = 25;

const listed = [...read('docs/way-of-a-create.md').matchAll(/^\d+\. `([^`]+)`/gm)].map(
  ([, file]) => file as string,
);

test('the way of a create is a short list of files that are there', () => {
  assert.ok(listed.length > 0 && listed.length <= maxFiles, `${listed.length} files`);
  assert.equal(new Set(listed).size, listed.length);
  assert.deepEqual(
    listed.filter((file) => !existsSync(path.join(root, file))),
    [],
  );
});

test('the architecture names the same files in the same order', () => {
  const [, paragraph = ''] =
    /The files from its route to its SQL([\s\S]*?)\n\n/.exec(read('docs/ARCHITECTURE.md')) ?? [];
  const [, ...named] = [...paragraph.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string);
  const short = (file: string) => file.replace(/^service\/(?:src\/)?/, '').replace(/\.ts$/, '');
  assert.deepEqual(named, listed.map(short));
});

test('each file on the way of a create is reached from one before it', () => {
  const reached = new Set(filesNamedBy(listed[0] as string));
  for (const file of listed.slice(1)) {
    assert.ok(reached.has(file) || isCalledBefore(file), `nothing before it leads to ${file}`);
    for (const next of filesNamedBy(file)) reached.add(next);
  }
});

/** Files that a module imports values or classes of, from the root. */
function filesNamedBy(file: string): string[] {
  if (!file.endsWith('.ts')) return [];
  return [...read(file).matchAll(/from '([^']+\.ts)'/g)].map(([, name = '']) =>
    name.startsWith('.')
      ? path.posix.join(path.posix.dirname(file), name)
      : name.replace('@renderkit/contract/', 'contract/'),
  );
}

/** A function in SQL is called by its name. */
function isCalledBefore(file: string): boolean {
  if (!file.endsWith('.sql')) return false;
  const name = path.basename(file, '.sql');
  return listed.slice(0, listed.indexOf(file)).some((before) => read(before).includes(`${name}(`));
}

function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}
