import { test } from 'node:test';
import { noOlderRelease, passOlderTests } from './harness/older-release.ts';

test('on databases that this release prepared, the one before breaks no invariant under twenty kills', async (t) => {
  if (noOlderRelease !== false) return t.skip(noOlderRelease);
  await passOlderTests('e2e/chaos/chaos.test.ts');
});
