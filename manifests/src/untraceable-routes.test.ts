import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Route } from '@renderkit/engine-kit/route.ts';
import { untraceableRoutes } from './untraceable-routes.ts';

const route: Route = {
  name: 'fal',
  engine: 'fal',
  on: ['fal'],
  set: { '/prompt': { text: '{prompt}' } },
  cost: { currency: 'USD', per_output: 0.01 },
  outputs: { at: '/images/*/url', kind: 'image', max_per_job: 1 },
};

test('who sends a paid provider no seed is told what becomes of a lost answer', () => {
  const [warning = '', ...more] = untraceableRoutes([route]);
  assert.match(warning, /^Route fal sends no seed/);
  assert.deepEqual(more, []);
  const changes: Partial<Route>[] = [
    { set: { ...route.set, '/seed': { from: 'seed' } } },
    { set: { '/prompt': { text: '{prompt}, {job.id}' } } },
    { on_unknown: 'fail' },
    { engine: 'openai-images' },
  ];
  for (const change of changes) assert.deepEqual(untraceableRoutes([{ ...route, ...change }]), []);
  const { cost: _cost, ...own } = route;
  assert.deepEqual(untraceableRoutes([{ ...own, engine: 'replicate' }]), []);
});
