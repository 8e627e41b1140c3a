// `npm run chaos -- --kills N --seed S [--services 2] [--studios 2] [--clients 12] [--media-store s3]`: kills parts of the running product at random
// and judges the outcome. The same seed draws the same victims; what they were doing is up to the machine.

import { parseArgs } from 'node:util';
import { compilePrograms } from '@renderkit/server-kit/testing/part.ts';
import { runChaos } from './run.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    services: { type: 'string', default: '1' },
    studios: { type: 'string', default: '1' },
    clients: { type: 'string', default: '12' },
    'media-store': { type: 'string', default: 'disk' },
  },
});
const options = {
  kills: Number(values.kills),
  seed: Number(values.seed),
  services: Number(values.services),
  studios: Number(values.studios),
  clients: Number(values.clients),
};
const mediaStore = values['media-store'] === 's3' ? 's3' : 'disk';
if (Object.values(options).every((value) => Number.isSafeInteger(value) && value >= 0)) {
  console.log(
    `chaos: ${options.kills} kills, seed ${options.seed}, ${options.services} service and ${options.studios} studio process(es), media on ${mediaStore}`,
  );
  await compilePrograms();
  const started = performance.now();
  const { breaches, kills, accepted, counts } = await runChaos({
    ...options,
    mediaStore,
    say: (line) => console.log(`  ${line}`),
  });
  console.log(
    `killed ${JSON.stringify(kills)}; ${accepted} creates accepted; ended ${JSON.stringify(counts)}; ${Math.round((performance.now() - started) / 1000)} s`,
  );
  for (const breach of breaches) console.error(`BREACH ${breach}`);
  console.log(
    breaches.length === 0
      ? 'every invariant held'
      : `${breaches.length} breaches; again with --seed ${options.seed}`,
  );
  process.exitCode = breaches.length === 0 ? 0 : 1;
} else {
  console.error('--kills, --seed, --services, --studios and --clients take whole numbers.');
  process.exitCode = 1;
}
if (process.connected) process.disconnect();
