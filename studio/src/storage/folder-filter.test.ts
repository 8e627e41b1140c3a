import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createFolderFilter } from './folder-filter.ts';

const folders = (n: number) => Array.from({ length: n }, () => randomBytes(16).toString('hex'));

test('a filter knows each folder that was added, and takes next to none for one that was not', () => {
  const filter = createFolderFilter();
  const [added, others] = [folders(20_000), folders(20_000)];
  for (const folder of added) filter.add(folder);
  assert.ok(added.every((folder) => filter.mayHave(folder)));
  assert.equal(others.filter((folder) => filter.mayHave(folder)).length, 0);
});

test('one that is far too small still knows each that was added, and what it hides another tells', () => {
  const [added, others] = [folders(2_000), folders(2_000)];
  const hidden = [createFolderFilter(2 ** 13), createFolderFilter(2 ** 13)].map((filter) => {
    for (const folder of added) filter.add(folder);
    assert.ok(added.every((folder) => filter.mayHave(folder)));
    return new Set(others.filter((folder) => filter.mayHave(folder)));
  });
  const [first, second] = hidden;
  assert.ok(first && second && first.size > 0 && first.size < others.length);
  assert.ok([...first].some((folder) => !second.has(folder)));
});
