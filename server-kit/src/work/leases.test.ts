import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '../process/logger.ts';
import { startLeases } from './leases.ts';

test('what is held twice is renewed until both have let go', async () => {
  const renewed: string[][] = [];
  await using leases = startLeases({
    name: 'test',
    leaseMs: 100,
    renew: async ({ ids }) => void renewed.push(ids),
    log: createLogger({ part: 'test', level: 'silent' }),
  });
  const untilRenewed = async () => {
    renewed.length = 0;
    while (renewed.length === 0) await sleep(10);
    return renewed[0];
  };
  const first = leases.hold('one');
  const second = leases.hold('one');
  assert.deepEqual(await untilRenewed(), ['one']);
  first[Symbol.dispose]();
  assert.deepEqual(await untilRenewed(), ['one']);
  second[Symbol.dispose]();
  renewed.length = 0;
  await sleep(150);
  assert.deepEqual(renewed, []);
});
