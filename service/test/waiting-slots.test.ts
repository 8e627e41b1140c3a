import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '@renderkit/server-kit/testing/until.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Progress } from '@renderkit/contract/v1/schemas/progress.ts';
import { startTestService, type TestService } from './harness.ts';
import { type ScriptedRenders, scriptRenders } from './scripted-renders.ts';
import { openStream } from './stream-reader.ts';

// The plan of the scripted studio has two slots for images, four overall.

let service: TestService;
let studio: ScriptedRenders;
let key: string;
before(async () => {
  // No periodic polls: a stream learns of changes only through notifications here.
  service = await startTestService({ reconcileMs: 200, retryMs: 50, liveFloorMs: 3_600_000 });
  studio = scriptRenders(service.studio);
  service.studio.balance.lifetime_millicredits = 1_000_000_000;
  key = await service.createKey();
});
after(async () => service[Symbol.asyncDispose]());

async function create(): Promise<string> {
  const { body } = await service.ask<Generation>('/v1/images/generations', {
    key,
    body: { prompt: 'a lake' },
  });
  return body.id;
}

const submitted = (id: string) => until('the submit', () => studio.renders.has(id));

async function progressOf(id: string): Promise<Progress> {
  const answer = await service.ask<Progress>(`/v1/generations/${id}/progress`, { key });
  return answer.body;
}

const statusOf = async (id: string) =>
  (await service.ask<Generation>(`/v1/generations/${id}`, { key })).body.status;

/** Makes a generation that, by its record, ran this long. */
async function finished(seconds: number): Promise<void> {
  const id = await create();
  await submitted(id);
  studio.finish(id);
  await until('its end', async () => (await statusOf(id)) === 'succeeded');
  await service.database.rows(
    'update generations set submitted_at = completed_at - make_interval(secs => $2) where id = $1 returning id',
    [id, seconds],
  );
}

test('what waits for a slot of its plan says when it starts, by what was measured', async () => {
  for (let count = 0; count < 4; count++) await finished(10);
  const running = [await create(), await create()];
  for (const id of running) await submitted(id);
  const waiting = [await create(), await create(), await create()];
  await until('a full lane', async () => (await progressOf(waiting[0] ?? '')).queue?.reason === 'lane_full');
  const few = await progressOf(waiting[0] ?? '');
  assert.deepEqual([few.queue, few.starts_in_seconds], [{ position: 1, of: 3, reason: 'lane_full' }, null]);
  for (const id of [...running, ...waiting]) {
    await submitted(id);
    studio.finish(id);
  }
  for (const id of waiting) await until('its end', async () => (await statusOf(id)) === 'succeeded');
  await service.database.rows(
    "update generations set submitted_at = completed_at - interval '10 s' where status = 'succeeded' returning id",
  );
  // The other service has not read any durations yet.
  await using another = await service.startAnother();
  const held = [await create(), await create()];
  for (const id of held) await submitted(id);
  const next = [await create(), await create(), await create()];
  const starts = async (id: string) => {
    const answer = await fetch(`${another.url}/v1/generations/${id}/progress`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return (await answer.json()) as Progress;
  };
  await until('the third place', async () => (await starts(next[2] ?? '')).queue?.position === 3);
  const told = await Promise.all(next.map(starts));
  assert.deepEqual(
    told.map(({ queue, starts_in_seconds: seconds }) => [queue?.reason, seconds]),
    [
      ['lane_full', { low: 0, high: 10 }],
      ['lane_full', { low: 0, high: 10 }],
      ['lane_full', { low: 10, high: 20 }],
    ],
  );
  for (const id of [...held, ...next]) {
    await submitted(id);
    studio.finish(id);
  }
  for (const id of next) await until('its end', async () => (await statusOf(id)) === 'succeeded');
});

test('a stream learns from another service that its generation was sent', async () => {
  let send = () => {};
  studio.hold = new Promise((resolve) => (send = resolve));
  const id = await create();
  // The other service does not submit: the first service already holds the generation.
  await using another = await service.startAnother();
  await using stream = await openStream(`${another.url}/v1/generations/${id}/events`, {
    authorization: `Bearer ${key}`,
  });
  const next = async () => {
    for (;;) {
      const event = await stream.next();
      assert.ok(event, 'the stream has ended');
      if (event.event !== 'progress')
        return { ...event, status: (JSON.parse(event.data) as Generation).status };
    }
  };
  assert.equal((await next()).status, 'queued');
  studio.hold = undefined;
  send();
  assert.deepEqual([(await next()).status], ['running']);
  studio.finish(id);
  const done = await next();
  assert.deepEqual([done.event, done.status], ['done', 'succeeded']);
});
