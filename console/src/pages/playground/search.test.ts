import assert from 'node:assert/strict';
import { test } from 'node:test';
import { playgroundSearch } from './search.ts';

test('The address of the playground holds what it understands and nothing else', () => {
  const search = {
    kind: 'video',
    model: 'drift-1',
    from: 'gen_1',
    use: 'ast_1',
    as: 'start_image',
    generation: 'gen_2',
  };
  assert.deepEqual(playgroundSearch({ ...search, other: 'x' }), search);
  const nothing = playgroundSearch({ kind: 'constructor', as: '__proto__', model: '', from: 5 });
  assert.deepEqual(
    Object.values(nothing).filter((value) => value !== undefined),
    [],
  );
});
