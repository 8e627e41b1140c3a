import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { runBatches, startBatchLoop } from './batch-loop.ts';

const log = pino({ level: 'silent' });
const hourMs = 3_600_000;

/** A job with so many rows left, which removes two at a time. */
function createJob(rows: number) {
  const job = { left: rows, batches: 0, run: () => Promise.resolve(false) };
  job.run = () => {
    const removed = Math.min(2, job.left);
    job.left -= removed;
    job.batches++;
    return Promise.resolve(removed === 2);
  };
  return job;
}

test('a round does each job until a batch is not full, and at most so many batches', async () => {
  const [short, long, none] = [createJob(3), createJob(20), createJob(0)];
  const jobs = [short.run, long.run, none.run];
  assert.equal(await runBatches(jobs, { maxBatches: 4 }), true);
  assert.deepEqual([short.batches, long.batches, none.batches], [2, 4, 1]);
  assert.deepEqual([short.left, long.left], [0, 12]);
  assert.equal(await runBatches(jobs), false);
  assert.equal(long.left, 0);
});

test('a round begins no batch once it is to stop', async () => {
  const stopping = new AbortController();
  const job = createJob(20);
  const stopAtTwo = async () => {
    if (job.batches === 1) stopping.abort();
    return job.run();
  };
  assert.equal(await runBatches([stopAtTwo], { stopping: stopping.signal }), false);
  assert.equal(job.batches, 2);
});

test('the first error ends a round', async () => {
  const job = createJob(2);
  const failing = () => Promise.reject(new Error('it fails'));
  await assert.rejects(runBatches([failing, job.run]), /it fails/);
  assert.equal(job.batches, 0);
});

test('a loop begins the next round at once while there is more, and waits after the last', async () => {
  const job = createJob(9);
  const { promise: empty, resolve } = Promise.withResolvers<void>();
  let rounds = 0;
  await using _loop = startBatchLoop({
    name: 'test',
    everyMs: hourMs,
    log,
    round: async (stopping) => {
      rounds++;
      const more = await runBatches([job.run], { maxBatches: 2, stopping });
      if (!more) resolve();
      return more;
    },
  });
  await empty;
  await new Promise(setImmediate);
  assert.deepEqual({ left: job.left, rounds }, { left: 0, rounds: 3 });
});
