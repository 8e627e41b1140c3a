import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { openBrowser } from './console-session.ts';
import { startTestService, type TestService } from './harness.ts';

describe("the console's API", () => {
  let service: TestService;
  before(async () => (service = await startTestService()));
  after(() => service[Symbol.asyncDispose]());

  test('answers who is signed in, by the cookie alone', async () => {
    const browser = await openBrowser(service);
    const answer = await browser.ask('/console/api/session');
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.body['account'], { id: service.accountId, email: 'acc_studio@example.org' });
    assertProblem(await service.ask('/console/api/session'), 'unauthorized', 'no cookie');
  });

  test('has all of /v1 for the signed-in person', async () => {
    const browser = await openBrowser(service);
    const made = await browser.ask<{ id: string }>('/console/api/v1/images/generations', {
      body: { model: 'plain', prompt: 'a calm sea' },
    });
    assert.equal(made.status, 202, made.text);
    const read = await browser.ask(`/console/api/v1/generations/${made.body.id}`);
    assert.equal(read.status, 200, read.text);
    assertProblem(await browser.ask('/console/api/v1/nothing'), 'not_found', 'unknown');
  });
});
