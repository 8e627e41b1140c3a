import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BackendHttp, BackendRequest } from './backend-http.ts';
import { EngineFailure } from './driver.ts';
import { HeldAnswers } from './held-answers.ts';
import type { BackendAnswer } from './http-exchange.ts';
import type { Route } from './route.ts';

const never = new AbortController().signal;
const backend = 'openai';
const minutes = 60_000;
const route: Route = {
  name: 'paid',
  engine: 'openai-images',
  on: ['openai'],
  set: {},
  outputs: { kind: 'image', max_per_job: 1 },
};

/** A backend that accepts requests at once and answers when the test calls `answer`. */
function openAnswers(limits?: ConstructorParameters<typeof HeldAnswers>[0]) {
  const requests: { answer: (bytes: number) => void; signal: AbortSignal }[] = [];
  const begin = async ({ signal }: BackendRequest) => {
    const { promise, resolve, reject } = Promise.withResolvers<BackendAnswer>();
    promise.catch(() => {});
    signal.addEventListener('abort', () => reject(signal.reason));
    const answer = (bytes: number) => resolve({ status: 200, headers: {}, body: Buffer.alloc(bytes, 'x') });
    requests.push({ answer, signal });
    return { answer: promise };
  };
  const answers = new HeldAnswers(limits);
  const http = { begin } as Partial<BackendHttp> as BackendHttp;
  return {
    answers,
    requests,
    begin: (id: string) => answers.begin(id, http, { method: 'POST', to: '/' }, never),
    wait: (id: string, given = route) => answers.wait(id, { backend, route: given }, never),
    [Symbol.dispose]: () => answers[Symbol.dispose](),
  };
}

const isLost = { name: 'EngineFailure', blame: 'backend', code: 'outcome_unknown' };

test('a request that is given up, or whose driver is closed, is a lost answer and never a fault of our own', async () => {
  for (const end of ['drop', 'close'] as const) {
    using world = openAnswers();
    await world.begin('one');
    const waits = [world.wait('one'), world.wait('one', { ...route, on_unknown: 'retry' })] as const;
    if (end === 'drop') world.answers.drop('one');
    else world.answers[Symbol.dispose]();
    await assert.rejects(waits[0], isLost, end);
    await assert.rejects(waits[1], { ...isLost, code: 'render_failed' }, end);
    assert.ok(world.requests[0]?.signal.reason instanceof EngineFailure);
    await assert.rejects(world.wait('one'), isLost);
  }
});

test('an answer is held for an hour where nobody takes it, and for ten minutes after it was last taken', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  using world = openAnswers();
  for (const id of ['untaken', 'taken']) await world.begin(id);
  for (const { answer } of world.requests) answer(10);
  await world.wait('taken');
  t.mock.timers.tick(9 * minutes);
  await world.wait('taken');
  t.mock.timers.tick(9 * minutes);
  assert.deepEqual([world.answers.has('untaken'), world.answers.has('taken')], [true, true]);
  t.mock.timers.tick(1 * minutes);
  assert.deepEqual([world.answers.has('untaken'), world.answers.has('taken')], [true, false]);
  t.mock.timers.tick(41 * minutes);
  assert.equal(world.answers.has('untaken'), false);
});

test('an older request’s time is over without its newer one being let go of', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  using world = openAnswers();
  await world.begin('one');
  world.requests[0]?.answer(10);
  await world.wait('one');
  t.mock.timers.tick(9 * minutes);
  await world.begin('one');
  t.mock.timers.tick(9 * minutes);
  assert.ok(world.answers.has('one'));
  world.requests[1]?.answer(20);
  assert.equal((await world.wait('one')).body.length, 20);
  // An older request under the same id must not end it either, even if that request is answered later.
  await world.begin('two');
  await world.begin('two');
  world.requests[3]?.answer(20);
  await world.wait('two');
  t.mock.timers.tick(5 * minutes);
  world.requests[2]?.answer(10);
  await Promise.resolve();
  t.mock.timers.tick(4 * minutes);
  assert.ok(world.answers.has('two'));
});

test('of the answers that were taken so many bytes are held; those that nobody took yet stay', async () => {
  using world = openAnswers({ maxTakenBytes: 100 });
  for (const id of ['untaken', 'first', 'second', 'third', 'large']) await world.begin(id);
  for (const { answer } of world.requests.slice(0, 4)) answer(50);
  world.requests[4]?.answer(200);
  const held = () =>
    ['untaken', 'first', 'second', 'third', 'large'].filter((id) => world.answers.has(id)).join(' ');
  await world.wait('first');
  await world.wait('second');
  await world.wait('first');
  await world.wait('third');
  assert.equal(held(), 'untaken first third large');
  await assert.rejects(world.wait('second'), isLost);
  await world.wait('large');
  assert.equal(held(), 'untaken large');
  assert.equal((await world.wait('untaken')).body.length, 50);
  assert.equal(held(), 'untaken');
  world.answers.drop('untaken');
  assert.equal(held(), '');
});
