import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineFailure } from './driver.ts';
import { createPoll, pollJob } from './poll.ts';
import type { Route } from './route.ts';

const never = new AbortController().signal;
const route = {
  name: 'r',
  engine: 'fal',
  on: [],
  set: {},
  outputs: { kind: 'image', max_per_job: 1 },
} as Route;
const away = new EngineFailure('away', { blame: 'backend', code: 'engine_unavailable' });
const tools = { pollMs: { first: 1, quiet: 2 } };

test('a wait ends early when it is woken, also before it began', async () => {
  const poll = createPoll({ first: 600_000, quiet: 600_000 });
  const waiting = poll.next(false, never);
  poll.wake();
  await waiting;
  poll.wake();
  await poll.next(true, never);
  const stop = new AbortController();
  const stopped = poll.next(false, stop.signal);
  stop.abort(new Error('enough'));
  await assert.rejects(stopped, { message: 'enough' });
});

test('an engine that is away for a while ends no job, and only news are told', async () => {
  const seen = [{ news: 1 }, away, { news: 1 }, { news: 2 }, away, { end: 'done' }];
  const news: number[] = [];
  const following = pollJob<number, string>(
    tools,
    { route },
    async () => {
      const next = seen.shift();
      if (next instanceof EngineFailure) throw next;
      return next as { news: number };
    },
    never,
  );
  let step = await following.next();
  for (; step.done !== true; step = await following.next()) news.push(step.value);
  assert.deepEqual([news, step.value], [[1, 2], 'done']);
});

test('after the silence that a route allows nobody can tell the outcome', async () => {
  const following = pollJob(
    tools,
    { route: { ...route, timeouts: { silent: 0 } } },
    async (): Promise<{ news: number }> => {
      throw away;
    },
    never,
  );
  await assert.rejects(following.next(), { code: 'outcome_unknown', blame: 'backend' });
});
