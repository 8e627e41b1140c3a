import assert from 'node:assert/strict';
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileLimits } from '@renderkit/media-kit/file-limits.ts';
import { startTestStudio, type TestAccount, type TestStudio } from './harness.ts';
import { makeImage } from './media-files.ts';

let studio: TestStudio;
let account: TestAccount;
before(async () => {
  studio = await startTestStudio({
    worker: false,
    testArguments: { uploadPace: { minBytesPerSecond: 256 * 1024, windowMs: 1_000 } },
  });
  account = await studio.connect();
});
after(async () => studio[Symbol.asyncDispose]());

function put(
  token: string,
  headers: Record<string, string> = {},
): { sending: ClientRequest; answer: Promise<IncomingMessage & { text: string }> } {
  const sending = httpRequest(`${studio.url}/api/uploads/${token}`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${account.accessToken}`,
      'content-type': 'application/octet-stream',
      ...headers,
    },
  });
  const answer = new Promise<IncomingMessage & { text: string }>((resolve, reject) => {
    sending.on('error', reject);
    sending.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve(Object.assign(response, { text })));
      response.on('error', reject);
    });
  });
  return { sending, answer };
}

async function left(): Promise<string[]> {
  // Received data is removed shortly after the connection has closed.
  for (let i = 0; i < 50; i++) {
    const rows = await studio.database.rows('select from loose_folders');
    if (rows.length === 0) break;
    await sleep(20);
  }
  return studio.mediaKeys();
}

test('a sender below the pace is cut off, and nothing of it is left', async () => {
  const { sending, answer } = put('upl_slow', { 'transfer-encoding': 'chunked' });
  // The sender may see either the answer or the end of the connection.
  const ended = answer.then(
    ({ statusCode }) => statusCode,
    () => 'cut off',
  );
  sending.write((await makeImage()).subarray(0, 20));
  assert.ok([400, 'cut off'].includes((await ended) ?? ''));
  assert.deepEqual(await left(), []);
});

test('a sender that goes away half way leaves nothing', async () => {
  const { sending, answer } = put('upl_half', { 'content-length': '1000000' });
  const ended = assert.rejects(answer);
  sending.write(await makeImage());
  await sleep(100);
  sending.destroy();
  await ended;
  assert.deepEqual(await left(), []);
});

test('a file that says it is too large is refused before it comes', async () => {
  const { sending, answer } = put('upl_huge', { 'content-length': String(600 * 1024 * 1024) });
  sending.flushHeaders();
  const response = await answer;
  sending.destroy();
  assert.equal(response.headers.connection, 'close');
  assert.match(response.text, /"too_large"/);
  assert.deepEqual(await left(), []);
});

test('an image that turns out too large is refused when the limit is passed', async () => {
  const { sending, answer } = put('upl_large', { 'transfer-encoding': 'chunked' });
  const chunk = Buffer.alloc(1024 * 1024, 7);
  let sent = 0;
  const answered = new AbortController();
  const response = answer.finally(() => answered.abort());
  sending.write(Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1'));
  for (; sent < 80 && !answered.signal.aborted; sent++) {
    if (!sending.write(chunk))
      await Promise.race([new Promise((resolve) => sending.once('drain', resolve)), response]);
  }
  assert.match((await response).text, /"too_large"/);
  assert.ok(sent < 80);
  sending.destroy();
  assert.deepEqual(await left(), []);
});

test('an operator may set tighter limits', async () => {
  await using strict = await startTestStudio({
    worker: false,
    fileLimits: { ...fileLimits, imageBytes: 1024 * 1024, imagePixels: 1_000 },
  });
  const other = await strict.connect();
  const reason = async (token: string, bytes: Buffer) => {
    const { body } = await other.upload(token, bytes);
    return body.outcome === 'unusable' ? body.reason : body.outcome;
  };
  const large = Buffer.concat([await makeImage({ width: 20, height: 20 }), Buffer.alloc(2 * 1024 * 1024)]);
  assert.equal(await reason('upl_1', large), 'too_large');
  assert.equal(await reason('upl_2', await makeImage()), 'too_many_pixels');
  assert.equal(await reason('upl_3', await makeImage({ width: 20, height: 20 })), 'stored');
});

test('two files under one token at once give one answer and one file', async () => {
  const [first, second] = await Promise.all([
    account.upload('upl_twice', await makeImage({ colour: '#112233' })),
    account.upload('upl_twice', await makeImage({ colour: '#445566' })),
  ]);
  assert.ok(first.body.outcome === 'stored' && second.body.outcome === 'stored');
  assert.equal(first.body.upload.url, second.body.upload.url);
  assert.equal((await left()).length, 1);
});
