import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { tellOutage } from './outage.ts';
import type { Screen } from './screen.ts';

function startOutage() {
  mock.timers.enable({ apis: ['setTimeout'] });
  const told: string[] = [];
  const tell = (text = '') => void told.push(text);
  const screen: Screen = { line: tell, heading: tell, problem: tell };
  const outage = tellOutage(screen, { name: 'worker', log: '/data/logs/worker.log' });
  return { told, outage, [Symbol.dispose]: () => mock.timers.reset() };
}

test('a restart that works is one line', () => {
  using world = startOutage();
  world.outage.up();
  world.outage.down('worker ended by SIGKILL');
  mock.timers.tick(4_000);
  world.outage.up();
  mock.timers.tick(60_000);
  assert.deepEqual(world.told, ['worker ended by SIGKILL; it is started again']);
});

test('a part that stays away is told once, with its log, and told when it is back', () => {
  using world = startOutage();
  for (let i = 0; i < 20; i++) {
    world.outage.down(i === 0 ? 'worker ended by SIGKILL' : 'worker ended by exit code 1');
    mock.timers.tick(4_000);
  }
  world.outage.up();
  world.outage.down('worker ended by SIGSEGV');
  const [first, second, third = '', fourth, ...more] = world.told;
  assert.deepEqual(
    [first, second, fourth, more],
    [
      'worker ended by SIGKILL; it is started again',
      'worker is still down (worker ended by exit code 1). It is tried again until it is back; its log is /data/logs/worker.log.',
      'worker ended by SIGSEGV; it is started again',
      [],
    ],
  );
  assert.match(third, /^worker is back, after \d+ s\.$/);
});

test('what is stopped says nothing more', () => {
  using world = startOutage();
  world.outage.down('worker ended by SIGKILL');
  world.outage[Symbol.dispose]();
  mock.timers.tick(60_000);
  assert.equal(world.told.length, 1);
});
