import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '@renderkit/server-kit/testing/until.ts';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import { type FileServer, startFileServer, tinyPng } from './file-server.ts';
import { startTestService, type TestService } from './harness.ts';
import { postForm } from './post-form.ts';
import { scriptRenders } from './scripted-renders.ts';

let service: TestService;
let files: FileServer;
let key: string;

before(async () => {
  files = await startFileServer((_request, response) => void response.writeHead(200).end(tinyPng));
  service = await startTestService({ config: { egressAllow: ['127.0.0.0/8'] }, reconcileMs: 50 });
  service.studio.balance.lifetime_millicredits = 1_000_000_000;
  scriptRenders(service.studio);
  key = await service.createKey();
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await files[Symbol.asyncDispose]();
});

/** Returns the name that the studio received with the last file; null when there was none. */
const sentName = () => {
  const stored = service.studio.seen.findLast(({ operation }) => operation === 'storeUpload');
  assert.ok(stored !== undefined);
  return new URL(stored.url, 'http://studio').searchParams.get('file_name');
};

async function untilFailed(id: string): Promise<Generation> {
  return until('the failure', async () => {
    const { body } = await service.ask<Generation>(`/v1/generations/${id}`, { key });
    if (body.status === 'failed') return body;
    await service.database.rows(`update uploads set due_at = clock() where status = 'coming'`);
    return undefined;
  });
}

test("of a form's file name the studio gets what it takes", async () => {
  for (const [fileName, expected] of [
    [`${'x'.repeat(300)}.png`, 'x'.repeat(255)],
    ['😀'.repeat(256), '😀'.repeat(255)],
    ['a\u0001b\u0085c\u200bd.png', 'abcd.png'],
    ['\u0007', null],
  ] as const) {
    const { status, text } = await postForm(`${service.url}/v1/uploads`, key, [
      { name: 'file', value: tinyPng, fileName },
    ]);
    assert.equal(status, 201, text);
    assert.equal(sentName(), expected);
  }
});

test("of an address's last part the studio gets what it takes", async () => {
  for (const [path, expected] of [
    [`${'y'.repeat(300)}.png`, 'y'.repeat(255)],
    ['a%00b%0a.png', 'ab.png'],
    ['%00', null],
    ['%ff', null],
  ] as const) {
    const body = { url: `${files.url}/${path}` };
    const { status, text } = await service.ask('/v1/uploads', { key, body });
    assert.equal(status, 201, text);
    assert.equal(sentName(), expected);
  }
});

test('an import that the studio refuses for good fails the generation and is not fetched for a day', async () => {
  const create = () =>
    service.ask<Generation>('/v1/images/edits', {
      key,
      body: { prompt: 'in winter', image: `${files.url}/x%00.png` },
    });
  for (const [status, code] of [
    [413, 'too_large'],
    [409, 'conflict'],
    [400, 'invalid_request'],
  ] as const) {
    service.studio.script('storeUpload', { status, json: { code, message: 'no' } });
    const { body } = await create();
    assert.equal((await untilFailed(body.id)).error?.code, 'unprocessable', code);
    assert.equal(sentName(), 'x.png');
  }
});
