import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readAhead } from './read-ahead.ts';

test('chunks come in order, as they are, to the end', async () => {
  const sent = Array.from({ length: 100 }, (_, i) => Buffer.alloc(20_000, i));
  const chunks = readAhead(Readable.from(sent, { objectMode: false }));
  for (const chunk of sent) {
    const { value } = await chunks.next();
    assert.ok(value?.equals(chunk));
  }
  for (let i = 0; i < 2; i++) assert.deepEqual(await chunks.next(), { done: true, value: undefined });
});

test('no more than a few are read ahead', async () => {
  let given = 0;
  const source = new Readable({
    highWaterMark: 10_000,
    read() {
      given++;
      setImmediate(() => this.push(Buffer.alloc(10_000)));
    },
  });
  const chunks = readAhead(source);
  await sleep(50);
  const before = given;
  assert.ok(before > 20 && before < 40, String(before));
  await sleep(50);
  assert.equal(given, before);
  for (let i = 0; i < 100; i++) await chunks.next();
  assert.ok(given > 100 && given < 160, String(given));
  source.destroy();
});

test('a stream that breaks gives what came of it, and then its error', async () => {
  const source = new PassThrough();
  const chunks = readAhead(source);
  source.write('a');
  await sleep(5);
  const broke = new Error('broke');
  source.destroy(broke);
  await sleep(5);
  assert.equal((await chunks.next()).value?.toString(), 'a');
  await assert.rejects(async () => chunks.next(), broke);
  const closed = new PassThrough();
  const waiting = readAhead(closed).next();
  closed.destroy();
  await assert.rejects(async () => waiting, /before its end/);
  await assert.rejects(async () => readAhead(closed).next(), /closed/);
});

test('a stream of far too many tiny pieces fails, whatever is ready', async () => {
  const source = Readable.from(
    Array.from({ length: 10_000 }, () => Buffer.from('x')),
    { objectMode: false, highWaterMark: 1 },
  );
  const chunks = readAhead(source);
  let read = 0;
  await assert.rejects(async () => {
    while ((await chunks.next()).done !== true) read++;
  }, /too many pieces/);
  assert.ok(read <= 2_100, String(read));
});
