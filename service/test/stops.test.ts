import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StopAnswer } from '@renderkit/contract/studio/schemas/render.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import { assertProblem } from './assert-problem.ts';
import { openBrowser } from './console-session.ts';
import { startTestService, type TestService } from './harness.ts';
import { type ScriptedRenders, scriptRenders } from './scripted-renders.ts';

let service: TestService;
let studio: ScriptedRenders;
let key: string;
before(async () => {
  service = await startTestService();
  studio = scriptRenders(service.studio);
  service.studio.balance.lifetime_millicredits = 1_000_000;
  key = await service.createKey();
});
after(async () => service[Symbol.asyncDispose]());
beforeEach(() => {
  service.studio.script('stopRender', () => undefined);
});

/** Sets the studio's answer to the next stops. */
function answerStops(id: string, outcome: StopAnswer['outcome'], wasEnded = false): void {
  service.studio.script('stopRender', (_request, response) => {
    const render = studio.renders.get(id);
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ outcome, was_ended: wasEnded, render }));
  });
}

async function create(): Promise<string> {
  const answer = await service.ask<Generation>('/v1/images/generations', { key, body: { prompt: 'a lake' } });
  assert.equal(answer.status, 202, answer.text);
  return answer.body.id;
}

const show = async (id: string, query = '') =>
  (await service.ask<Generation>(`/v1/generations/${id}${query}`, { key })).body;
const stop = (id: string, by = key) =>
  service.ask<Generation>(`/v1/generations/${id}/stop`, { key: by, method: 'POST' });

async function running(): Promise<string> {
  const id = await create();
  await studio.until(() => studio.renders.has(id));
  while ((await show(id)).status !== 'running') await sleep(20);
  return id;
}

test('one that waits is canceled, and a second stop says so', async () => {
  await service.database.rows(`update accounts set dispatch_after = clock() + interval '1 hour'`);
  const id = await create();
  const stopped = await stop(id);
  assert.deepEqual([stopped.status, stopped.body.status], [202, 'canceled']);
  const again = await stop(id);
  assert.deepEqual([again.status, again.body.status], [202, 'canceled']);
  await service.database.rows('update accounts set dispatch_after = null');
});

test('a stop by a person is written down: as a cancel of what waits, and not where it comes too late', async () => {
  const person = await openBrowser(service);
  const byPerson = (id: string) =>
    person.ask<Generation>(`/console/api/v1/generations/${id}/stop`, { method: 'POST' });
  const written = async (id: string) =>
    service.database.rows<{ action: string; details: object; session_id: string }>(
      'select action, details, session_id from audit_entries where subject_id = $1',
      [id],
    );
  const entry = { details: { kind: 'image', model: 'plain' }, session_id: person.sessionId };
  const id = await running();
  answerStops(id, 'too_late');
  assertProblem(await byPerson(id), 'conflict', 'too late');
  assert.deepEqual(await written(id), []);
  answerStops(id, 'stopping');
  await stop(id);
  assert.deepEqual(await written(id), []);
  assert.equal((await byPerson(id)).status, 202);
  assert.deepEqual(await written(id), [{ action: 'generation.stopped', ...entry }]);
  studio.finish(id, { status: 'failed', error: { code: 'stopped', message: 'x' } });
  await show(id, '?wait=20');

  await service.database.rows(`update accounts set dispatch_after = clock() + interval '1 hour'`);
  const waiting = await create();
  assert.equal((await byPerson(waiting)).body.status, 'canceled');
  assert.deepEqual(await written(waiting), [{ action: 'generation.canceled', ...entry }]);
  await service.database.rows('update accounts set dispatch_after = null');
});

test('one that runs ends a moment later, with its outputs or as stopped; a second stop says the same', async () => {
  for (const outputs of [0, 1]) {
    const id = await running();
    answerStops(id, 'stopping');
    for (let i = 0; i < 2; i++) {
      const { status, body } = await stop(id);
      assert.deepEqual([status, body.status], [202, 'running']);
    }
    if (outputs === 0) studio.finish(id, { status: 'failed', error: { code: 'stopped', message: 'x' } });
    else studio.finish(id, { outputs, error: { code: 'partial_failure', message: 'x' } });
    const ended = await show(id, '?wait=20');
    assert.deepEqual(
      [ended.status, ended.error?.code, ended.outputs.length],
      outputs === 0 ? ['failed', 'stopped', 0] : ['succeeded', 'partial_failure', 1],
    );
    answerStops(id, 'ended');
    const late = await stop(id);
    assert.deepEqual([late.status, late.body.status, late.body.outputs.length], [202, ended.status, outputs]);
  }
});

test('where the studio ends it at once, the answer shows its end', async () => {
  const id = await running();
  service.studio.script('stopRender', (_request, response) => {
    studio.finish(id, { status: 'failed', error: { code: 'stopped', message: 'x' } });
    const render = studio.renders.get(id);
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ outcome: 'ended', was_ended: false, render }));
  });
  const { status, body } = await stop(id);
  assert.deepEqual([status, body.status, body.error?.code], [202, 'failed', 'stopped']);
});

test('some outputs alone do not say that it was stopped', async () => {
  const id = await running();
  studio.finish(id, { outputs: 1, error: { code: 'partial_failure', message: 'x' } });
  await show(id, '?wait=20');
  answerStops(id, 'ended', true);
  assertProblem(await stop(id), 'conflict', 'it finished by itself');
});

test('what cannot be stopped is a conflict that says why', async () => {
  const id = await running();
  answerStops(id, 'too_late');
  const late = await service.refusal(`/v1/generations/${id}/stop`, { key, method: 'POST' });
  assertProblem(late, 'conflict', 'too late');
  assert.match(late.body.detail, /engine cannot stop/);
  service.studio.script('stopRender', { status: 404, json: { code: 'not_found', message: 'no such route' } });
  const older = await service.refusal(`/v1/generations/${id}/stop`, { key, method: 'POST' });
  assertProblem(older, 'conflict', 'an older studio');
  studio.finish(id);
  await show(id, '?wait=20');
  answerStops(id, 'ended', true);
  assertProblem(await stop(id), 'conflict', 'it has finished');
});

test('others’ generations are not found', async () => {
  const id = await running();
  const other = await service.createKey({ accountId: await service.connectAccount() });
  assertProblem(await stop(id, other), 'not_found', 'another account');
  studio.finish(id);
});
