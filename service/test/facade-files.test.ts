// Files that a client sends to a facade with a refused request must not be kept.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { headers as headerNames } from '@renderkit/contract/v1/headers.ts';
import type { TestHooks } from '../src/test-hooks.ts';
import { startTestService, type TestService } from './harness.ts';
import { postForm, type Part } from './post-form.ts';
import { scriptRenders } from './scripted-renders.ts';

const picture: Part = { name: 'image', value: Buffer.from('a picture'), fileName: 'boat.png' };
const second: Part = { ...picture, name: 'image[]', value: Buffer.from('another') };
const prompt: Part = { name: 'prompt', value: 'a boat' };
const edits = '/openai/v1/images/edits';
const dataUrl = `data:image/png;base64,${Buffer.alloc(60, 'a picture').toString('base64')}`;

async function start(hooks: TestHooks = {}) {
  const service = await startTestService(hooks);
  const none = { limit: 0, running: 0, running_elsewhere: 0 };
  scriptRenders(service.studio).limits = { overall: none, image: none, edit: none, video: none };
  service.studio.balance.lifetime_millicredits = 1_000_000;
  return service;
}

/** Counts the files that the studio accepted, and the rows of uploads. */
async function filesOf({ studio, database }: TestService) {
  const rows = await database.rows<{ id: string }>("select id from uploads where status <> 'deleted'");
  return {
    taken: studio.uploads.files.size + studio.uploads.deleted.length,
    left: rows.length + studio.uploads.files.size,
  };
}

const refused: {
  what: string;
  path?: string;
  parts: Part[];
  status: number;
  files: number;
  says?: RegExp;
}[] = [
  {
    what: 'a prompt that is too long',
    parts: [picture, { name: 'prompt', value: 'x'.repeat(5_000) }],
    status: 400,
    files: 1,
  },
  {
    what: 'more text than JSON may have there',
    path: '/openai/v1/images/generations',
    parts: [picture, ...['a', 'b', 'c'].map((name) => ({ name, value: 'x'.repeat(100 * 1024) }))],
    status: 400,
    files: 1,
    says: /"message":"body: must not have fields of more than 262144 bytes together".*"param":"body"/,
  },
  {
    what: 'a model that is not there',
    parts: [picture, second, prompt, { name: 'model', value: 'nobody' }],
    status: 404,
    files: 2,
  },
  {
    what: 'a count that is none',
    parts: [picture, prompt, { name: 'n', value: 'many' }],
    status: 400,
    files: 1,
  },
  {
    what: 'a value that `/v1` refuses',
    parts: [picture, prompt, { name: 'strength', value: '7' }],
    status: 400,
    files: 1,
  },
  {
    what: 'a length of video that is none',
    path: '/openai/v1/videos',
    parts: [
      { ...picture, name: 'input_reference' },
      prompt,
      { name: 'size', value: '64x64' },
      { name: 'model', value: 'nobody' },
    ],
    status: 404,
    files: 1,
  },
];
for (const { what, path = edits, parts, status, files, says } of refused)
  test(`a form whose files come before ${what} leaves none of them`, async () => {
    await using service = await start();
    const answer = await postForm(service.url + path, await service.createKey(), parts);
    assert.equal(answer.status, status, answer.text);
    if (says !== undefined) assert.match(answer.text, says);
    await untilFiles(service, { taken: files, left: 0 });
  });

test('a form that ends before its time leaves nothing of the file that was whole', async () => {
  await using service = await start();
  const key = await service.createKey();
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(
    `POST ${edits} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${key}\r\nContent-Length: 9999\r\n` +
      'Content-Type: multipart/form-data; boundary=b\r\n\r\n' +
      '--b\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\na picture\r\n' +
      '--b\r\nContent-Disposition: form-data; name="prompt"\r\n\r\na bo',
  );
  await until('a file', async () => (await filesOf(service)).taken > 0);
  socket.destroy();
  await untilFiles(service, { taken: 1, left: 0 });
});

test('a picture in JSON leaves nothing where its create is refused', async () => {
  await using service = await start();
  const headers = {
    authorization: `Bearer ${await service.createKey()}`,
    'content-type': 'application/json',
    [headerNames.maxCredits]: '0',
  };
  const body = JSON.stringify({ prompt: 'a boat', image: dataUrl });
  const answer = await fetch(service.url + edits, { method: 'POST', headers, body });
  assert.equal(answer.status, 403, await answer.text());
  await untilFiles(service, { taken: 1, left: 0 });
});

test('an accepted edit keeps its file, and who repeats it brings none', async () => {
  await using service = await start();
  const key = await service.createKey();
  const ask = async (retries: number) => {
    const form = new FormData();
    form.append('image', new Blob([Buffer.from('a picture')]), 'boat.png');
    form.append('prompt', 'a boat');
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${key}`, 'x-stainless-retry-count': String(retries) };
    const answered = fetch(service.url + edits, {
      method: 'POST',
      headers,
      body: form,
      signal: leaving.signal,
    });
    return { leave: () => leaving.abort(), answered: answered.catch(() => undefined) };
  };
  const generations = () => service.database.rows('select id from generations');
  const first = await ask(0);
  await until('the generation', async () => (await generations()).length > 0);
  first.leave();
  await first.answered;
  const repeated = await ask(1);
  await untilFiles(service, { taken: 2, left: 2 });
  assert.equal((await generations()).length, 1);
  repeated.leave();
  await repeated.answered;
});

test('a paused model refuses a form and leaves none of its files', async () => {
  await using service = await start();
  pauseModels(service);
  const answer = await postForm(service.url + edits, await service.createKey(), [picture, prompt]);
  assert.equal(answer.status, 503, answer.text);
  await untilFiles(service, { taken: 1, left: 0 });
});

test('a refused form has its answer before the studio is asked to remove its file', async () => {
  const { promise: answered, resolve: answeredNow } = Promise.withResolvers<void>();
  await using service = await start({
    // Files are deleted at the studio after the client has its answer.
    crashPoint: (name) => (name === 'upload-deleted' ? answered : undefined),
  });
  const parts = [picture, { name: 'prompt', value: 'x'.repeat(5_000) }];
  const signal = AbortSignal.timeout(30_000);
  const answer = await postForm(service.url + edits, await service.createKey(), parts, signal).finally(
    answeredNow,
  );
  assert.equal(answer.status, 400, answer.text);
  await untilFiles(service, { taken: 1, left: 0 });
});

test('who repeats a form under a key of its own leaves no second file', async () => {
  await using service = await start();
  const key = await service.createKey();
  const form = () => {
    const body = new FormData();
    body.append('image', new Blob([Buffer.from('a picture')]), 'boat.png');
    body.append('prompt', 'a boat');
    return body;
  };
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${key}`, 'idempotency-key': 'mine' };
  const ask = () =>
    fetch(service.url + edits, { method: 'POST', headers, body: form(), signal: leaving.signal }).catch(
      () => undefined,
    );
  const generations = () => service.database.rows('select id from generations');
  const first = ask();
  await until('the generation', async () => (await generations()).length > 0);
  const repeated = ask();
  await untilFiles(service, { taken: 2, left: 2 });
  assert.equal((await generations()).length, 1);
  leaving.abort();
  await Promise.all([first, repeated]);
});

/** Makes the studio quote all requests and refuse them. */
function pauseModels({ studio }: TestService): void {
  studio.refusesQuotes = { code: 'model_paused', message: 'paused' };
}

/** Waits until these numbers are reached: files of refused requests are deleted after the answer. */
async function untilFiles(service: TestService, files: { taken: number; left: number }): Promise<void> {
  await until('those files', () => filesOf(service), { isSo: (now) => isDeepStrictEqual(now, files) });
}
