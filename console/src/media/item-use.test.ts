import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itemUses, typeOfUse } from './item-use.ts';

test('Two fields take videos', () => {
  assert.deepEqual(
    itemUses.filter((use) => typeOfUse(use) === 'video'),
    ['source_video', 'video'],
  );
});
