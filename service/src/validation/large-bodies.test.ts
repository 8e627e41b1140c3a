import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as soon } from 'node:timers/promises';
import { ApiProblem } from '../problems/api-problem.ts';
import { createLargeBodies, type LargeBodies } from './large-bodies.ts';

const patienceMs = 500;
const newResponse = () => new ServerResponse(new IncomingMessage(new Socket()));

/** Notes who was let in, and how each leaves. */
function watch(bodies: LargeBodies) {
  const order: string[] = [];
  const leave = new Map<string, () => void>();
  return {
    order,
    leave: async (name: string) => {
      leave.get(name)?.();
      await soon();
    },
    enter: async (name: string) => {
      const [accountId = ''] = name;
      const wait = async () => {
        const left = await bodies.enter(accountId, newResponse());
        order.push(name);
        leave.set(name, left);
      };
      // Those that stand in line at the end of a test wait in vain.
      wait().catch(() => undefined);
      await soon();
    },
  };
}

test('one account never holds all places', async () => {
  const { order, enter } = watch(createLargeBodies(3, patienceMs));
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'd1']) await enter(name);
  assert.deepEqual(order, ['a1', 'b1', 'c1']);
});

test('accounts are let in by turns, however long the line of one is', async () => {
  const { order, enter, leave } = watch(createLargeBodies(1, patienceMs));
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) await enter(name);
  for (let i = 0; i < 6; i++) await leave(order[i] ?? '');
  assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('a place that is left twice is free once', async () => {
  const { order, enter, leave } = watch(createLargeBodies(1, patienceMs));
  for (const name of ['a1', 'b1', 'c1']) await enter(name);
  await leave('a1');
  await leave('a1');
  assert.deepEqual(order, ['a1', 'b1']);
});

test('who goes, or waits in vain, is in the line no more', async () => {
  const bodies = createLargeBodies(1, 50);
  const left = await bodies.enter('a', newResponse());
  const gone = newResponse();
  const crowded = (error: unknown) => error instanceof ApiProblem && error.code === 'rate_limited';
  const goes = assert.rejects(bodies.enter('b', gone), crowded);
  gone.emit('close');
  await goes;
  await assert.rejects(bodies.enter('c', newResponse()), crowded);
  left();
  (await bodies.enter('d', newResponse()))();
});
