import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soaking } from '@renderkit/server-kit/testing/soak.ts';
import { runChaos } from './run.ts';

const kills = soaking ? 200 : 8;

test(`${kills} kills of service, studio, worker and database under load break no invariant`, async (t) => {
  const seed = Date.now() % 1_000_000;
  t.diagnostic(`seed ${seed}: again with npm run chaos -- --kills ${kills} --services 2 --seed ${seed}`);
  const result = await runChaos({
    kills,
    seed,
    services: 2,
    clients: 4,
    say: (line) => t.diagnostic(line),
  });
  t.diagnostic(`killed ${JSON.stringify(result.kills)}, ${result.accepted} creates accepted`);
  assert.deepEqual(result.breaches, []);
  assert.ok(result.accepted >= 10, `${result.accepted} creates were accepted: too few to prove anything`);
});
