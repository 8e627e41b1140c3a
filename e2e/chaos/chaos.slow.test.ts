import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { soaking } from '@renderkit/server-kit/testing/soak.ts';
import { type ChaosOptions, runChaos } from './run.ts';

const kills = soaking ? 200 : 8;

test(`${kills} kills of service, studio, worker and database under load break no invariant`, (t) =>
  survive(t, { services: 2 }));

const skip = !soaking && 'this is part of npm run soak';
test(`${kills} kills of two of each, with media in a bucket and nothing shared`, { skip }, (t) =>
  survive(t, { services: 2, studios: 2, mediaStore: 's3' }),
);

async function survive(
  t: TestContext,
  shape: Pick<ChaosOptions, 'services' | 'studios' | 'mediaStore'>,
): Promise<void> {
  const seed = Date.now() % 1_000_000;
  const options = `--services ${shape.services} --studios ${shape.studios ?? 1} --media-store ${shape.mediaStore ?? 'disk'}`;
  t.diagnostic(`seed ${seed}: again with npm run chaos -- --kills ${kills} ${options} --seed ${seed}`);
  const result = await runChaos({ kills, seed, ...shape, clients: 4, say: (line) => t.diagnostic(line) });
  t.diagnostic(`killed ${JSON.stringify(result.kills)}, ${result.accepted} creates accepted`);
  assert.deepEqual(result.breaches, []);
  assert.ok(result.accepted >= 10, `${result.accepted} creates were accepted: too few to prove anything`);
}
