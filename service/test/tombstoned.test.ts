import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import { moveClock } from '@renderkit/server-kit/testing/database.ts';
import { startTestService, type TestService } from './harness.ts';
import { type ScriptedRenders, scriptRenders } from './scripted-renders.ts';

let service: TestService;
let studio: ScriptedRenders;
let key: string;
before(async () => {
  service = await startTestService({ reconcileMs: 200, retryMs: 60_000, leaseMs: 3_000 });
  studio = scriptRenders(service.studio);
  service.studio.balance.lifetime_millicredits = 1_000_000;
  key = await service.createKey();
});
after(() => service[Symbol.asyncDispose]());

const lane = (limit: number) => ({ limit, running: 0, running_elsewhere: 0 });

async function queued(limit: number): Promise<string> {
  studio.limits = { overall: lane(limit), image: lane(limit), edit: lane(limit), video: lane(limit) };
  await service.database.rows('update accounts set limits_read_at = null, dispatch_after = null');
  const answer = await service.ask<Generation>('/v1/images/generations', { key, body: { prompt: 'a lake' } });
  assert.equal(answer.status, 202, answer.text);
  return answer.body.id;
}

/**
 * Acts as the studio after a token was tombstoned: it accepts no submit of the token any more, and the feed reports
 * this.
 */
function tombstone(id: string): void {
  studio.tombstoned.add(id);
  studio.tell({ token: id, barred: true });
}

const notTaken = { code: 'render_lost', message: 'The studio would not take this render.' };

async function assertEnded(id: string, error: { code: string; message: string }): Promise<void> {
  const { body } = await service.ask<Generation>(`/v1/generations/${id}?wait=20`, { key });
  assert.deepEqual([body.status, body.error], ['failed', error]);
  const events = await service.database.rows<{ type: string }>(
    'select type from events where subject_id = $1',
    [id],
  );
  assert.deepEqual(events, [{ type: 'generation.failed' }]);
  const [account] = await service.database.rows<Record<string, number>>(
    'select uncharged_millicredits, queued_image from accounts where id = $1',
    [service.accountId],
  );
  assert.deepEqual(account, { uncharged_millicredits: 0, queued_image: 0 });
}

test('a job that waits for a slot ends when its token is tombstoned: failed, refunded, one event', async () => {
  const id = await queued(0);
  tombstone(id);
  await assertEnded(id, notTaken);
});

test('a job whose submit was lost on the way ends when its token is tombstoned, long before it is sent again', async () => {
  // More than one: the transport itself repeats a request that was lost on a reused connection.
  studio.next = Array.from({ length: 10 }, () => 'lose-request' as const);
  const id = await queued(2);
  for (let i = 0; i < 400 && !studio.submits.includes(id); i++) await sleep(10);
  assert.ok(studio.submits.includes(id));
  tombstone(id);
  await assertEnded(id, notTaken);
});

test('a job whose submit is answered with the tombstone says so too', async () => {
  studio.next = [{ outcome: { outcome: 'barred' } }];
  await assertEnded(await queued(2), notTaken);
});

test('a job that is tombstoned for its age says that it waited too long, whoever is first to tell', async () => {
  const id = await queued(0);
  await moveClock(service.database, 24 * 3_600);
  tombstone(id);
  await assertEnded(id, {
    code: 'upstream_unavailable',
    message: 'The generation could not be started within a day.',
  });
  await moveClock(service.database, 0);
});
