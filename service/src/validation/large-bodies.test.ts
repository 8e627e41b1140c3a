import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as soon } from 'node:timers/promises';
import { largeJsonBodyBytes } from '@renderkit/contract/v1/limits.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import { createLargeBodies, type LargeBodies } from './large-bodies.ts';

const patienceMs = 500;
const largest = largeJsonBodyBytes;
const newResponse = () => new ServerResponse(new IncomingMessage(new Socket()));
const crowded = (error: unknown) => error instanceof ApiProblem && error.code === 'rate_limited';

/** Records which bodies were admitted and refused, and how each ends. The first letter of a name is the account. */
function watch(bodies: LargeBodies) {
  const order: string[] = [];
  const refused: string[] = [];
  const leave = new Map<string, () => void>();
  return {
    order,
    refused,
    leave: async (name: string) => {
      leave.get(name)?.();
      await soon();
    },
    enter: async (name: string, bytes = largest) => {
      const wait = async () => {
        const left = await bodies.enter(name[0] ?? '', bytes, newResponse());
        order.push(name);
        leave.set(name, left);
      };
      // Bodies that still wait at the end of a test wait in vain.
      wait().catch(() => refused.push(name));
      await soon();
    },
  };
}

test('one account never has all the capacity, and uses what others leave', async () => {
  const { order, enter, leave } = watch(createLargeBodies(3 * largest, patienceMs));
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) await enter(name);
  assert.deepEqual(order, ['a1', 'a2', 'b1']);
  await leave('a1');
  assert.deepEqual(order, ['a1', 'a2', 'b1', 'c1']);
});

test('small ones of many accounts are in side by side', async () => {
  const { order, enter } = watch(createLargeBodies(3 * largest, patienceMs));
  for (let i = 0; i < 30; i++) await enter(`${'abc'[i % 3]}${i}`, 1_000_000);
  assert.equal(order.length, 30);
});

test('accounts are let in by turns, however long the line of one is', async () => {
  const { order, enter, leave } = watch(createLargeBodies(largest, patienceMs));
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) await enter(name);
  for (let i = 0; i < 6; i++) await leave(order[i] ?? '');
  assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('a large one whose turn it is is not passed by small ones', async () => {
  const { order, enter, leave } = watch(createLargeBodies(2 * largest, patienceMs));
  await enter('a1', largest);
  await enter('b1', largest / 2);
  await enter('c1', largest);
  for (let i = 0; i < 5; i++) await enter(`d${i}`, 1);
  assert.deepEqual(order, ['a1', 'b1']);
  await leave('b1');
  assert.deepEqual(order, ['a1', 'b1', 'c1']);
  await leave('a1');
  assert.equal(order.length, 8);
});

test('capacity that is left twice is free once', async () => {
  const { order, enter, leave } = watch(createLargeBodies(largest, patienceMs));
  for (const name of ['a1', 'b1', 'c1']) await enter(name);
  await leave('a1');
  await leave('a1');
  assert.deepEqual(order, ['a1', 'b1']);
});

test('who goes, or waits in vain, is in the line no more', async () => {
  const bodies = createLargeBodies(largest, 50);
  const left = await bodies.enter('a', largest, newResponse());
  const gone = newResponse();
  const goes = assert.rejects(bodies.enter('b', largest, gone), crowded);
  gone.emit('close');
  await goes;
  await assert.rejects(bodies.enter('c', largest, newResponse()), crowded);
  left();
  (await bodies.enter('d', largest, newResponse()))();
});

test('on a slow line those whose turn cannot come are refused at once, told when to come again', async () => {
  let now = 0;
  const bodies = createLargeBodies(2 * largest, 5_000, () => now);
  const { order, refused, enter, leave } = watch(bodies);
  for (let i = 0; i < 20; i++) await enter(`a${i}`);
  // One second each: within twice its patience the account gets ten of them through.
  for (let i = 0; i < 3; i++) {
    assert.deepEqual(refused, []);
    now += 1_000;
    await leave(`a${i}`);
  }
  assert.deepEqual(
    refused,
    Array.from({ length: 9 }, (_, i) => `a${19 - i}`),
  );
  assert.deepEqual(order, ['a0', 'a1', 'a2', 'a3']);
  // Other accounts are not affected.
  await enter('b0');
  assert.equal(order.at(-1), 'b0');
});
