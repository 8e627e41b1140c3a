import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineFailure } from './driver.ts';
import { createPoll, pollJob } from './poll.ts';

const never = new AbortController().signal;
const away = new EngineFailure('away', { blame: 'backend', code: 'engine_unavailable' });

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

test('an engine that is away for a while ends no job, and each good look is a sign of life', async () => {
  const seen = [{ news: 1 }, away, { news: 1 }, { news: 2 }, away, { end: 'done' }];
  const news: number[] = [];
  const following = pollJob<number, string>(
    { pollMs: { first: 1, quiet: 2 } },
    async () => {
      const next = seen.shift();
      if (next instanceof EngineFailure) throw next;
      return next as { news: number };
    },
    never,
  );
  let step = await following.next();
  for (; step.done !== true; step = await following.next()) news.push(step.value);
  assert.deepEqual([news, step.value], [[1, 1, 2], 'done']);
});

test('what the engine says of the job itself ends it', async () => {
  const failed = new EngineFailure('no', { blame: 'render', code: 'invalid_request' });
  const following = pollJob({}, () => Promise.reject(failed), never);
  await assert.rejects(following.next(), failed);
});
