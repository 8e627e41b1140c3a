import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transitionOnce } from './transition-once.ts';
import type { Transition, Transitioned } from './transition-store.ts';

const cancel = (id: string): Transition => ({
  id,
  accountId: 'acc',
  from: 'queued',
  to: 'canceled',
  untouched: true,
});

const start = (attempt: number): Transition => ({
  id: 'a',
  accountId: 'acc',
  from: 'queued',
  to: 'running',
  attempt,
});
const end: Transition = { id: 'a', accountId: 'acc', from: 'running', to: 'failed' };

/** Makes transitions as the database does, starting from the given statuses. */
function scripted(statuses: Record<string, string>, attempts: Record<string, number> = {}) {
  const statements: string[][] = [];
  const make = async (moves: readonly Transition[]): Promise<Transitioned[]> => {
    statements.push(moves.map(({ id }) => id));
    assert.equal(new Set(moves.map(({ id }) => id)).size, moves.length, 'a generation twice in a statement');
    return moves.flatMap((move) => {
      if (statuses[move.id] !== move.from) return [];
      if (move.attempt !== undefined && move.attempt !== attempts[move.id]) return [];
      statuses[move.id] = move.to;
      return [{ id: move.id, to_status: move.to, watching: false, deliveries: 0 } as Transitioned];
    });
  };
  return { make, statements };
}

test('equal moves of one batch are made once, for the first who asked', async () => {
  const { make, statements } = scripted({ a: 'queued', b: 'running' });
  const results = await transitionOnce(
    [cancel('a'), cancel('b'), cancel('a'), cancel('b'), cancel('a')],
    make,
  );
  assert.deepEqual(
    results.map((one) => (one as Transitioned | undefined)?.to_status),
    ['canceled', undefined, undefined, undefined, undefined],
  );
  assert.deepEqual(statements, [['a', 'b']]);
});

test('a move with other conditions, or a next step, is tried after the one before it', async () => {
  const { make } = scripted({ a: 'queued' }, { a: 2 });
  const results = await transitionOnce([start(1), end, start(2), cancel('a'), end], make);
  assert.deepEqual(
    results.map((one) => (one as Transitioned | undefined)?.to_status),
    [undefined, undefined, 'running', undefined, undefined],
  );
});

test('what was made stays made for its caller when a later statement fails', async () => {
  const { make } = scripted({ a: 'queued' }, { a: 2 });
  let statements = 0;
  const failing = (moves: readonly Transition[]) => {
    if (++statements === 2) throw new Error('the database went away');
    return make(moves);
  };
  const [started, ended] = await transitionOnce([start(2), end], failing);
  assert.equal((started as Transitioned).to_status, 'running');
  assert.ok(ended instanceof Error);
  statements = 1;
  await assert.rejects(transitionOnce([end], failing), /went away/);
});
