import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { readAhead } from './read-ahead.ts';

/** Waits for so many turns of the event loop that all effects of earlier steps have happened. */
async function turns(): Promise<void> {
  for (let i = 0; i < 100; i++) await turn();
}

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
  // Waits until many turns have requested no more chunks.
  for (let before = -1; given !== before;) {
    before = given;
    await turns();
  }
  assert.ok(given > 20 && given < 40, String(given));
  for (let i = 0; i < 100; i++) await chunks.next();
  assert.ok(given > 100 && given < 160, String(given));
  source.destroy();
});

test('a stream that breaks gives what came of it, and then its error', async () => {
  const source = new PassThrough();
  const chunks = readAhead(source);
  source.write('a');
  await turns();
  const broke = new Error('broke');
  source.destroy(broke);
  await turns();
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
