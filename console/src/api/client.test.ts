import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountHeader } from '@renderkit/contract/console/headers.ts';
import { actAs, callConsole, callV1, fillPath } from './client.ts';
import { isWithoutAnswer } from './errors.ts';

test('a path gets its values, encoded', () => {
  assert.equal(fillPath('/v1/models/{id}', { id: 'character/a b' }), '/v1/models/character%2Fa%20b');
});

test('a path without its value is our own mistake', () => {
  assert.throws(() => fillPath('/keys/{id}'), /needs a value for id/);
});

test('nothing is waited for without end: what is read 20 s, a create a minute, what asks machines longer', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  context.mock.method(
    globalThis,
    'fetch',
    (_url: string, { signal }: RequestInit) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
      }),
  );
  const ended: string[] = [];
  const body = { prompt: 'a lake' } as never;
  const calls = {
    read: callV1('listModels', {}),
    estimate: callV1('estimate', { body }),
    create: callV1('createImageGeneration', { body }),
    check: callConsole('checkBackend', { params: { name: 'a' } }),
  };
  for (const [name, call] of Object.entries(calls))
    call.catch((error: unknown) => ended.push(`${name} ${isWithoutAnswer(error)}`));
  const pass = async (ms: number) => {
    context.mock.timers.tick(ms);
    await new Promise((resolve) => setImmediate(resolve));
  };
  await pass(19_000);
  assert.deepEqual(ended, []);
  await pass(2_000);
  assert.deepEqual(ended, ['read true', 'estimate true']);
  await pass(40_000);
  assert.deepEqual(ended.slice(2), ['create true']);
  await pass(90_000);
  assert.equal(ended.length, 3);
  await pass(10_000);
  assert.deepEqual(ended.slice(3), ['check true']);
});

test('once it is known whose page this is, every request says so', async (context) => {
  const sent: (string | null)[] = [];
  context.mock.method(globalThis, 'fetch', async (_url: string, { headers }: RequestInit) => {
    sent.push(new Headers(headers).get(accountHeader));
    return Response.json({});
  });
  await callConsole('getSignedIn', {});
  actAs('acc_1');
  await callConsole('getSignedIn', {});
  await callV1('createProject', { body: {} });
  assert.deepEqual(sent, [null, 'acc_1', 'acc_1']);
});
