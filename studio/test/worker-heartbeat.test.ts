import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@renderkit/server-kit/testing/until.ts';
import type { StudioAnswer } from '@renderkit/contract/studio/operations.ts';
import { startTestStudio, type TestStudio } from './harness.ts';

async function workersAlive(studio: TestStudio): Promise<number | undefined> {
  const answer = await fetch(`${studio.url}/api/metadata`);
  return ((await answer.json()) as StudioAnswer<'getMetadata'>).workers_alive;
}

test('the studio tells of workers that live: from their start on, and no more once they stopped in order', async () => {
  await using studio = await startTestStudio({ worker: false });
  assert.equal(await workersAlive(studio), 0);
  const first = await studio.startWorker({ engines: [] });
  assert.equal(await workersAlive(studio), 1);
  const second = await studio.startWorker({ engines: [] });
  assert.equal(await workersAlive(studio), 2);
  await first[Symbol.asyncDispose]();
  assert.equal(await workersAlive(studio), 1);
  await second[Symbol.asyncDispose]();
  assert.equal(await workersAlive(studio), 0);
});

test('a worker that was killed is missed after some seconds, and forgotten later', async () => {
  await using studio = await startTestStudio({ worker: false });
  const killed = (seconds: number) =>
    studio.database.rows(
      `insert into workers values ('wrk_killed', clock() - $1 * interval '1 second')
       on conflict (id) do update set beat_at = excluded.beat_at`,
      [seconds],
    );
  await killed(5);
  assert.equal(await workersAlive(studio), 1);
  await killed(15);
  assert.equal(await workersAlive(studio), 0);
  await studio.clean();
  assert.equal((await studio.database.rows('select from workers')).length, 1);
  await killed(2 * 60 * 60);
  await studio.clean();
  assert.equal((await studio.database.rows('select from workers')).length, 0);
});

test('a worker whose row is gone, as after a crash of the database, says again that it lives', async () => {
  await using studio = await startTestStudio({ worker: false });
  await using _worker = await studio.startWorker({ engines: [] });
  await studio.database.rows('delete from workers');
  await until('one worker', () => workersAlive(studio), { isSo: (count) => count === 1 });
});
