import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Problem } from '@renderkit/contract/v1/schemas/problem.ts';
import type { RunningService } from '../src/app.ts';
import { type ConsoleBrowser, openBrowser } from './console-session.ts';
import { type Answer, askAt, startTestService, type TestService } from './harness.ts';
import { scriptRenders } from './scripted-renders.ts';

let service: TestService;
let other: RunningService;
let key: string;
let browser: ConsoleBrowser;
before(async () => {
  service = await startTestService();
  other = await service.startAnother();
  // Nothing starts: created generations wait until they are canceled.
  const none = { limit: 0, running: 0, running_elsewhere: 0 };
  scriptRenders(service.studio).limits = { overall: none, image: none, edit: none, video: none };
  service.studio.balance.lifetime_millicredits = 100_000_000;
  key = await service.createKey();
  browser = await openBrowser(service);
});
after(async () => {
  await other[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

/** A generation, or the refusal. */
type Told = Pick<Generation, 'status'> & { code: string; detail: string };

const rounds = 10;
const atOnce = 20;

async function queued(): Promise<string> {
  const { status, body, text } = await service.ask<Generation>('/v1/images/generations', {
    key,
    body: { prompt: 'a lake' },
  });
  assert.equal(status, 202, text);
  return body.id;
}

/**
 * Cancels many times at once. One answer is that it canceled; every other answer is that the generation is already
 * canceled.
 */
async function race(cancel: (i: number, id: string) => Promise<Answer<Told>>): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const id = await queued();
    const answers = await Promise.all(Array.from({ length: atOnce }, (_, i) => cancel(i, id)));
    const won = answers.filter(({ status }) => status === 200);
    assert.equal(won.length, 1, `round ${round}: ${won.length} of ${atOnce} cancels were answered with 200`);
    assert.equal(won[0]?.body.status, 'canceled');
    for (const { status, body } of answers) {
      if (status === 200) continue;
      assert.deepEqual([status, body.code], [409, 'conflict']);
      assert.match(body.detail, /canceled already/);
    }
  }
}

test('of many cancels at once, on two processes, one succeeds and every other is a conflict', async () => {
  await race((i, id) =>
    askAt(i % 2 === 0 ? service.url : other.url, `/v1/generations/${id}/cancel`, { key, method: 'POST' }),
  );
});

test('so it is with cancels of a signed-in person, and of a person and a key together', async () => {
  await race((_, id) => browser.ask(`/console/api/v1/generations/${id}/cancel`, { method: 'POST' }));
  await race((i, id) =>
    i % 2 === 0
      ? browser.ask(`/console/api/v1/generations/${id}/cancel`, { method: 'POST' })
      : askAt(other.url, `/v1/generations/${id}/cancel`, { key, method: 'POST' }),
  );
});

test('a cancel that is sent again is told in which state the generation is', async () => {
  const id = await queued();
  const cancel = () => service.ask<Problem>(`/v1/generations/${id}/cancel`, { key, method: 'POST' });
  assert.equal((await cancel()).status, 200);
  const again = await cancel();
  assert.deepEqual([again.status, again.body.code], [409, 'conflict']);
  assert.equal(again.body.detail, 'The generation is canceled already.');
  const ended = await service.addGeneration({ status: 'failed' });
  const late = await service.refusal(`/v1/generations/${ended}/cancel`, { key, method: 'POST' });
  assert.match(late.body.detail, /failed/);
});
