import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '../process/logger.ts';
import { until } from '../testing/until.ts';
import { startLeaseQueue } from './lease-queue.ts';
import { startLeases } from './leases.ts';

type Job = { id: string };
const log = createLogger({ part: 'test', level: 'silent' });
const idOf = ({ id }: Job) => id;
const jobs = (from: number, count: number): Job[] =>
  Array.from({ length: count }, (_, i) => ({ id: `job_${from + i}` }));
const untilAborted = (signal: AbortSignal) => sleep(30_000, undefined, { signal }).catch(() => undefined);

/** Creates work that the test ends. */
function createDesk() {
  const ends = new Map<string, (error?: Error) => void>();
  const begun: string[] = [];
  return {
    begun,
    run: (job: Job) =>
      new Promise<void>((resolve, reject) => {
        begun.push(job.id);
        ends.set(job.id, (error) => (error === undefined ? resolve() : reject(error)));
      }),
    end: (id: string, error?: Error) => ends.get(id)?.(error),
    until: async (count: number) => {
      await until(`job ${count}`, () => begun.length >= count, { everyMs: 1 });
      assert.equal(begun.length, count);
    },
  };
}

test('as much is claimed as there are free slots, and more when one comes free', async () => {
  const desk = createDesk();
  const due = jobs(1, 5);
  const asked: { max: number; running: string[] }[] = [];
  await using queue = startLeaseQueue<Job>({
    slots: 3,
    idOf,
    run: desk.run,
    onError: (_job, error) => assert.fail(String(error)),
    finishWithinMs: 0,
    polling: {
      name: 'test',
      everyMs: 60_000,
      maxPerClaim: 2,
      claim: async (max, running) => {
        asked.push({ max, running: [...running].map(idOf) });
        return due.splice(0, max);
      },
    },
    log,
  });
  await desk.until(3);
  assert.deepEqual(asked, [
    { max: 2, running: [] },
    { max: 1, running: ['job_1', 'job_2'] },
  ]);
  queue.wake();
  desk.end('job_1');
  await desk.until(4);
  assert.deepEqual(asked.slice(2), [{ max: 1, running: ['job_2', 'job_3'] }], 'never more than fits');
  desk.end('job_2');
  await desk.until(5);
});

test('what is handed in waits for a slot in its order, and work that fails frees its slot like any other', async () => {
  const desk = createDesk();
  const failed: string[] = [];
  await using queue = startLeaseQueue<Job>({
    slots: 2,
    idOf,
    run: desk.run,
    onError: ({ id }, error) => failed.push(`${id}: ${(error as Error).message}`),
    finishWithinMs: 0,
    log,
  });
  queue.add(jobs(1, 3));
  queue.add(jobs(4, 1));
  assert.deepEqual(desk.begun, ['job_1', 'job_2']);
  desk.end('job_2', new Error('broken'));
  await desk.until(3);
  desk.end('job_1');
  await desk.until(4);
  assert.deepEqual(desk.begun.slice(2), ['job_3', 'job_4']);
  assert.deepEqual(failed, ['job_2: broken']);
});

test('leases are renewed while claims wait and run, in one statement, and no longer', async () => {
  const desk = createDesk();
  const renewed: string[][] = [];
  await using leases = startLeases({
    name: 'test leases',
    leaseMs: 40,
    owner: 'me',
    renew: async ({ ids, owner, leaseMs }) => {
      assert.deepEqual({ owner, leaseMs }, { owner: 'me', leaseMs: 40 });
      renewed.push(ids);
    },
    log,
  });
  await using queue = startLeaseQueue<Job>({
    slots: 1,
    idOf,
    run: desk.run,
    onError: () => undefined,
    leases,
    finishWithinMs: 0,
    log,
  });
  queue.add(jobs(1, 2));
  while (renewed.length < 3) await sleep(1);
  assert.deepEqual(renewed[0], ['job_1', 'job_2'], 'one runs, one waits');
  desk.end('job_1');
  await desk.until(2);
  renewed.length = 0;
  while (renewed.length < 2) await sleep(1);
  assert.deepEqual(renewed.at(-1), ['job_2']);
  desk.end('job_2');
  await queue.finish();
  await sleep(30);
  renewed.length = 0;
  await sleep(30);
  assert.deepEqual(renewed, []);
});

test('a queue that stops gives back what has not begun and finishes what has', async () => {
  const given: string[] = [];
  let ended = 0;
  const queue = startLeaseQueue<Job>({
    slots: 2,
    idOf,
    run: async (_job, stopping) => {
      await untilAborted(stopping);
      await sleep(10);
      ended++;
    },
    onError: () => undefined,
    giveBack: async (claims) => void given.push(...claims.map(idOf)),
    finishWithinMs: 10_000,
    log,
  });
  queue.add(jobs(1, 4));
  await queue[Symbol.asyncDispose]();
  assert.deepEqual(given, ['job_3', 'job_4']);
  assert.equal(ended, 2);
});

test('what is claimed while the queue stops is given back too', async () => {
  const desk = createDesk();
  const given: string[] = [];
  let answer: (claims: Job[]) => void = () => undefined;
  const claimed = new Promise<Job[]>((resolve) => (answer = resolve));
  const queue = startLeaseQueue<Job>({
    slots: 2,
    idOf,
    run: desk.run,
    onError: () => undefined,
    giveBack: async (claims) => void given.push(...claims.map(idOf)),
    finishWithinMs: 10_000,
    polling: { name: 'test', everyMs: 60_000, claim: () => claimed },
    log,
  });
  const stopped = queue[Symbol.asyncDispose]();
  answer(jobs(1, 1));
  await stopped;
  assert.deepEqual({ begun: desk.begun, given }, { begun: [], given: ['job_1'] });
});

test('work that does not end keeps a queue from stopping for no longer than it is given', async () => {
  const desk = createDesk();
  const queue = startLeaseQueue<Job>({
    slots: 1,
    idOf,
    run: desk.run,
    onError: () => undefined,
    finishWithinMs: 5,
    log,
  });
  queue.add(jobs(1, 1));
  await queue[Symbol.asyncDispose]();
  desk.end('job_1');
  await queue.finish();
});
