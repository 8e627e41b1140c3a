import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { runBatches, startBatchLoop } from './batch-loop.ts';

const log = pino({ level: 'silent' });
const hourMs = 3_600_000;

/** Creates a job with this many rows left. Each batch removes two. */
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

test('a job that fails keeps no other from its turn, and the first error is thrown at the end', async () => {
  const job = createJob(3);
  const failing = (words: string) => () => Promise.reject(new Error(words));
  await assert.rejects(runBatches([failing('the first'), failing('the second'), job.run]), /the first/);
  assert.deepEqual({ left: job.left, batches: job.batches }, { left: 0, batches: 2 });
});

test('a job that takes long begins no batch after its time, and the next has its own', async () => {
  const [slow, quick] = [createJob(20), createJob(3)];
  const takeLong = async () => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    return slow.run();
  };
  assert.equal(await runBatches([takeLong, quick.run], { maxJobMs: 20 }), true);
  assert.deepEqual([slow.batches, quick.batches], [1, 2]);
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
