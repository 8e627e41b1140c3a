import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runChaos } from './run.ts';

test('twenty kills of service, studio, worker and database under load break no invariant', async (t) => {
  const seed = Date.now() % 1_000_000;
  t.diagnostic(`seed ${seed}: again with npm run chaos -- --kills 20 --services 2 --seed ${seed}`);
  const { breaches, kills, accepted } = await runChaos({
    kills: 20,
    seed,
    services: 2,
    clients: 4,
    say: (line) => t.diagnostic(line),
  });
  t.diagnostic(`killed ${JSON.stringify(kills)}, ${accepted} creates accepted`);
  assert.deepEqual(breaches, []);
  assert.ok(accepted >= 10, `${accepted} creates were accepted: too few to prove anything`);
});
