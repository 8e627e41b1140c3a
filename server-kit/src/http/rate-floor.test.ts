import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { pacedBody, SenderLost } from './paced-body.ts';
import { RateFloor } from './rate-floor.ts';

/** Blocks this thread, like a SIGSTOP. Other threads continue. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** A thread that sends one byte at once, and the rest with the end of the stream on request. */
const sender = `
  const { connect } = require('node:net');
  const { parentPort, workerData } = require('node:worker_threads');
  const socket = connect(workerData, '127.0.0.1', () => socket.write('x'));
  socket.on('error', () => undefined);
  parentPort.once('message', (bytes) => socket.end(Buffer.alloc(bytes)));
`;

/** Opens a socket on which a separate thread sends. */
async function startSender() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connected = once(server, 'connection') as Promise<[Socket]>;
  const worker = new Worker(sender, { eval: true, workerData: (server.address() as AddressInfo).port });
  const [socket] = await connected;
  return {
    socket,
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    send: (bytes: number) => worker.postMessage(bytes),
    async [Symbol.asyncDispose]() {
      socket.destroy();
      await worker.terminate();
      server.close();
    },
  };
}

/** Creates a clock that the test moves; timers fire only when the test moves it. */
function startClock({ mock }: TestContext) {
  let now = 0;
  mock.timers.enable({ apis: ['setTimeout'] });
  mock.method(performance, 'now', () => now);
  const pass = (ms: number) => {
    for (let i = 0; i < ms; i += 100) {
      now += 100;
      mock.timers.tick(100);
    }
  };
  /** Moves the clock in one step; timers fire only after the whole time has passed. */
  const stall = (ms: number) => {
    now += ms;
    mock.timers.tick(ms);
  };
  /** Like `stall`, but the last read is processed before the timers. */
  const stallBeforePoll = (ms: number, poll: () => void) => {
    now += ms;
    poll();
    mock.timers.tick(ms);
  };
  return { pass, stall, stallBeforePoll, now: () => now };
}

test('what was sent while this process stood still is not lost', async () => {
  await using sending = await startSender();
  let bytes = 0;
  const reading = (async () => {
    for await (const chunk of pacedBody(sending.socket, { minBytesPerSecond: 1_000, windowMs: 300 }))
      bytes += chunk.length;
  })();
  await sleep(100);
  sending.send(1_000);
  // After this turn the timers run, and only then the socket is read.
  await turn();
  standStill(1_700);
  await reading;
  assert.equal(bytes, 1_001);
});

test('a silent sender is given up in its window', async () => {
  await using sending = await startSender();
  const pace = { minBytesPerSecond: 1_000, windowMs: 300 };
  const began = performance.now();
  let first = true;
  await assert.rejects(async () => {
    for await (const _ of pacedBody(sending.socket, pace)) {
      assert.ok(first);
      first = false;
    }
  }, SenderLost);
  const tookMs = performance.now() - began;
  assert.ok(tookMs > 290 && tookMs < 900, String(tookMs));
});

test('a standstill within a window begins it anew', (t) => {
  const clock = startClock(t);
  let lostAt: number | undefined;
  using floor = new RateFloor(1_000, 5_000, () => (lostAt ??= clock.now()));
  floor.wait();
  clock.pass(500);
  // The stall ends before the window.
  clock.stall(4_000);
  clock.pass(4_900);
  assert.equal(lostAt, undefined);
  clock.pass(200);
  assert.equal(lostAt, 9_500);
});

test('so it does where the bytes are read before the timer rings', (t) => {
  const clock = startClock(t);
  let lostAt: number | undefined;
  using floor = new RateFloor(1_000, 5_000, () => (lostAt ??= clock.now()));
  floor.wait();
  clock.stallBeforePoll(7_000, () => {
    floor.received(100);
    floor.wait();
  });
  clock.pass(4_900);
  assert.equal(lostAt, undefined);
  clock.pass(200);
  assert.equal(lostAt, 12_000);
});

test('a loop that is slow for ever does not keep a silent sender', (t) => {
  const clock = startClock(t);
  let lostAt: number | undefined;
  using floor = new RateFloor(1_000, 5_000, () => (lostAt ??= clock.now()));
  floor.wait();
  // Three standstills are not counted; then each one counts for two seconds.
  for (let i = 0; i < 20; i++) clock.stall(2_500);
  assert.equal(lostAt, 6 * 2_500);
});

test('a standstill of our own work between two waits is not taken for one in a wait', (t) => {
  const clock = startClock(t);
  let lostAt: number | undefined;
  using floor = new RateFloor(1_000, 5_000, () => (lostAt ??= clock.now()));
  floor.wait();
  clock.pass(900);
  floor.received(1);
  clock.stallBeforePoll(3_000, () => floor.wait());
  clock.pass(4_000);
  assert.equal(lostAt, undefined);
  clock.pass(200);
  assert.equal(lostAt, 8_000);
});
