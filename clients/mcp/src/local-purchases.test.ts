import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LocalPurchases } from './local-purchases.ts';

const call = (signal = new AbortController().signal) => ({
  tool: 'create_image',
  arguments: { prompt: 'a boat' },
  signal,
});

test('a call whose answer was lost is repeated once, within two minutes', async () => {
  let now = 0;
  const purchases = new LocalPurchases(() => now);
  const patience = new AbortController();
  const lost = await purchases.take(call(patience.signal));
  await lost.end('created');
  patience.abort();
  now = 2 * 60_000;
  const other = await purchases.take({ ...call(), arguments: { prompt: 'a bridge' } });
  assert.deepEqual([other.repeated, other.idempotencyKey === lost.idempotencyKey], [false, false]);
  const repeated = await purchases.take(call());
  assert.deepEqual([repeated.repeated, repeated.idempotencyKey], [true, lost.idempotencyKey]);
  assert.equal((await purchases.take(call())).repeated, false);
  // The outcome of this create is unknown.
  await repeated.end('unknown');
  now += 2 * 60_000 + 1;
  assert.equal((await purchases.take(call())).repeated, false);
});

test('what was answered or refused begins anew, and so do calls side by side', async () => {
  const purchases = new LocalPurchases();
  const [first, second] = [await purchases.take(call()), await purchases.take(call())];
  assert.notEqual(first.idempotencyKey, second.idempotencyKey);
  await first.end('created');
  await second.end('refused');
  assert.equal((await purchases.take(call())).repeated, false);
});
