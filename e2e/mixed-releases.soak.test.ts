import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runChaos } from './chaos/run.ts';
import { noOlderRelease } from './harness/older-release.ts';

const kills = 60;

test(`${kills} kills of this release and the one before, side by side under load, break no invariant`, async (t) => {
  if (noOlderRelease !== false) return t.skip(noOlderRelease);
  const seed = Date.now() % 1_000_000;
  t.diagnostic(
    `again with npm run chaos -- --kills ${kills} --services 2 --studios 2 --mixed-releases --seed ${seed}`,
  );
  const result = await runChaos({
    kills,
    seed,
    services: 2,
    studios: 2,
    mixedReleases: true,
    clients: 4,
    say: (line) => t.diagnostic(line),
  });
  t.diagnostic(`killed ${JSON.stringify(result.kills)}, ended ${JSON.stringify(result.counts)}`);
  assert.deepEqual(result.breaches, []);
  assert.ok(result.accepted >= 10, `${result.accepted} creates were accepted: too few to prove anything`);
  const { accepted = 0, rendered = 0 } = result.byOlder ?? {};
  assert.ok(accepted > 0, 'the service of the release before accepted nothing');
  assert.ok(accepted < result.accepted, 'the service of this release accepted nothing');
  assert.ok(rendered > 0, 'the worker of the release before rendered nothing');
});
