// `npm run chaos -- --kills N --seed S [--services 2] [--studios 2] [--clients 12] [--media-store s3]
// [--mixed-releases] [--logs DIR]`: kills parts of the running product at random and checks the outcome. The same seed
// chooses the same victims; what they are doing at that moment depends on the machine.

import { parseArgs } from 'node:util';
import { compilePrograms } from '@renderkit/server-kit/testing/part.ts';
import { noOlderRelease } from '../harness/older-release.ts';
import { runChaos } from './run.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    services: { type: 'string', default: '1' },
    studios: { type: 'string', default: '1' },
    clients: { type: 'string', default: '12' },
    'media-store': { type: 'string', default: 'disk' },
    'mixed-releases': { type: 'boolean', default: false },
    logs: { type: 'string' },
  },
});
const options = {
  kills: Number(values.kills),
  seed: Number(values.seed),
  services: Number(values.services),
  studios: Number(values.studios),
  clients: Number(values.clients),
};
const mixedReleases = values['mixed-releases'];
const mediaStore = values['media-store'] === 's3' ? 's3' : 'disk';
const refused = whyRefused();
if (refused === undefined) {
  console.log(
    `chaos: ${options.kills} kills, seed ${options.seed}, ${options.services} service and ${options.studios} studio process(es), media on ${mediaStore}${mixedReleases ? ', every second part of the release before' : ''}`,
  );
  await compilePrograms();
  const started = performance.now();
  const { breaches, kills, accepted, counts, byOlder } = await runChaos({
    ...options,
    mediaStore,
    mixedReleases,
    logsTo: values.logs,
    say: (line) => console.log(`  ${line}`),
  });
  console.log(
    `killed ${JSON.stringify(kills)}; ${accepted} creates accepted; ended ${JSON.stringify(counts)}; ${Math.round((performance.now() - started) / 1000)} s`,
  );
  if (byOlder !== undefined)
    console.log(`of the release before: ${byOlder.accepted} creates accepted, ${byOlder.rendered} rendered`);
  for (const breach of breaches) console.error(`BREACH ${breach}`);
  console.log(
    breaches.length === 0
      ? 'every invariant held'
      : `${breaches.length} breaches; again with --seed ${options.seed}`,
  );
  process.exitCode = breaches.length === 0 ? 0 : 1;
} else {
  console.error(refused);
  process.exitCode = 1;
}
if (process.connected) process.disconnect();

function whyRefused(): string | undefined {
  if (!Object.values(options).every((value) => Number.isSafeInteger(value) && value >= 0))
    return '--kills, --seed, --services, --studios and --clients take whole numbers.';
  if (!mixedReleases) return undefined;
  if (noOlderRelease !== false) return noOlderRelease;
  if (options.services < 2 || options.studios < 2)
    return '--mixed-releases takes two of each: --services 2 --studios 2.';
  return mediaStore === 's3' ? 'Release 1 has its media on the disk: no --media-store s3 here.' : undefined;
}
