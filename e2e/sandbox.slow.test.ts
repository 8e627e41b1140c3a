import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type SandboxRecipe, type SandboxRequest, sandboxRecipes } from '@renderkit/contract/v1/sandbox.ts';
import type { Platform, PlatformAccount } from '@renderkit/stack/testing/platform.ts';
import { sharedPlatform } from '@renderkit/stack/testing/shared-platform.ts';
import { type Call, createCaller, type Fields, type Problem, type Reply, send } from './spec/caller.ts';

/** A setting of the studio may take a second to have an effect. */
const patienceMs = 15_000;
/** A PNG of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
);

describe('the sandbox, recipe by recipe', () => {
  let platform: Platform;
  let who: PlatformAccount;
  let document: Fields;
  let own: Call;
  before(async () => {
    platform = await sharedPlatform();
    // The same account that the first start makes.
    who = await platform.createAccount({ tier: 'plus', credits: 1_000 });
    document = (await send(platform.serviceUrls[0] ?? '', 'GET', '/openapi.json')).body;
    own = caller(await platform.createKey(who));
  });

  const caller = (key?: string) => createCaller(platform.serviceUrls[0] ?? '', document, key);
  const operate = (command: string) =>
    platform.operator(...command.replaceAll('{email}', who.email).split(' '));

  async function callOf({ key }: SandboxRecipe): Promise<Call> {
    if (key === undefined) return own;
    if (key === 'none') return caller();
    return caller(String((await operate(`key create --email {email} --name Sandbox ${key.options}`))['key']));
  }

  async function lastReply(call: Call, requests: readonly SandboxRequest[]): Promise<Reply> {
    let reply: Reply | undefined;
    for (const { method, path, headers, body, upload } of requests)
      reply = await call(method, path, {
        ...(headers !== undefined && { headers: { ...headers } }),
        ...(body !== undefined && { body }),
        ...(upload !== undefined && formOf(upload)),
      });
    assert.ok(reply);
    return reply;
  }

  /** Repeats the requests until a setting has its effect. */
  async function replyWith(code: string, call: Call, requests: readonly SandboxRequest[]): Promise<Reply> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const reply = await lastReply(call, requests);
      if ((reply.body as Problem).code === code || performance.now() > deadline) return reply;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }

  async function assertAnswer(recipe: SandboxRecipe): Promise<void> {
    const { answer, requests } = recipe;
    const call = await callOf(recipe);
    if ('code' in answer) {
      // Settings may have a late effect, so these requests are repeated. A fault of the studio works only once.
      const once = recipe.prepare?.some((command) => command.startsWith('studio fault')) === true;
      const reply = await (once ? lastReply(call, requests) : replyWith(answer.code, call, requests));
      assert.equal((reply.body as Problem).code, answer.code, reply.text);
      return;
    }
    const began = performance.now();
    const made = await lastReply(call, requests);
    if ('upload' in answer) {
      assert.deepEqual([made.status, made.body['status']], [201, 'processing'], made.text);
      const deadline = began + 60_000;
      let upload = made.body;
      while (upload['status'] === 'processing' && performance.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, 200));
        upload = (await call('GET', `/v1/uploads/${String(made.body['id'])}`)).body;
      }
      assert.equal(upload['status'], answer.upload, JSON.stringify(upload));
      assert.equal(upload['error'] === null, answer.upload === 'ready');
    } else {
      assert.equal(made.status, 202, made.text);
      const { body } = await call('GET', `/v1/generations/${String(made.body['id'])}?wait=60`);
      const error = body['error'] as { code: string } | null;
      assert.deepEqual([body['status'], error?.code ?? null], [answer.generation, answer.error]);
    }
    if (answer.seconds !== undefined) assert.ok(performance.now() - began > answer.seconds * 1_000 - 500);
  }

  for (const recipe of sandboxRecipes)
    test(`${recipe.title}: as the document says`, async () => {
      for (const command of recipe.prepare ?? []) await operate(command);
      try {
        await assertAnswer(recipe);
      } finally {
        for (const command of recipe.restore ?? []) await operate(command);
      }
    });

  test('after all of them everything is as it was', async () => {
    const deadline = performance.now() + patienceMs;
    let reply = await own('GET', '/v1/account');
    while (reply.status !== 200 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      reply = await own('GET', '/v1/account');
    }
    assert.equal(reply.status, 200, reply.text);
    const made = await own('POST', '/v1/images/generations', {
      body: { prompt: 'a lake', model: 'sketch-1' },
    });
    assert.equal(made.status, 202, made.text);
  });
});

function formOf(fileName: string): { raw: Buffer; headers: Record<string, string> } {
  const boundary = 'sandbox-boundary';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\nContent-Type: image/png\r\n\r\n`;
  return {
    raw: Buffer.concat([Buffer.from(head), pixel, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  };
}
