import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemCodeNames } from './problem-codes.ts';
import { sandboxLines, sandboxOutcome, sandboxRecipes } from './sandbox.ts';

test('there is a recipe for every problem code but internal_error, and for each end that is no refusal', () => {
  const ids = sandboxRecipes.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const code of problemCodeNames) assert.equal(ids.includes(code), code !== 'internal_error', code);
  for (const id of ['partial_failure', 'failed-render', 'slow-render', 'rejected-upload'])
    assert.ok(ids.includes(id), id);
});

test('every recipe can be typed into a shell and says what comes of it', () => {
  for (const recipe of sandboxRecipes) {
    for (const line of sandboxLines(recipe)) {
      assert.match(
        line,
        /^(?:npm run operator -- |curl -i |sleep \d+$|SANDBOX_KEY=\$\(npm run operator -- | {2}grep -o )/,
      );
      assert.ok(!line.includes('{email}'));
      // The quotes contain no further quote that would end them.
      assert.equal(line.split("'").length % 2, 1, line);
    }
    assert.notEqual(sandboxOutcome(recipe), '');
  }
});
