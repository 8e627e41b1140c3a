import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type ClientRequest, request } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { maxMaskCharacters } from '@renderkit/contract/v1/limits.ts';
import { soaking } from '@renderkit/server-kit/testing/soak.ts';
import { tinyPng } from './file-server.ts';
import { startTestService } from './harness.ts';
import { startServiceProcess } from './service-process.ts';

const masks = soaking ? 64 : 24;
const maxMegabytes = 500;

/** Posts a body. With a pace, in bytes per second, sends it no faster. */
function post(
  url: string,
  key: string,
  body: Buffer,
  pace?: number,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': body.length,
    };
    const sending = request(url, { method: 'POST', headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      );
    });
    sending.on('error', reject);
    if (pace === undefined) sending.end(body);
    else void trickle(sending, body, pace);
  });
}

/** Retries as clients do: on a machine that is busy with other tests, the last requests may get 429. */
async function postAgain(url: string, key: string, body: Buffer): Promise<{ status: number; text: string }> {
  const answer = await post(url, key, body);
  if (answer.status !== 429) return answer;
  await sleep(5_000);
  return post(url, key, body);
}

async function trickle(sending: ClientRequest, body: Buffer, pace: number): Promise<void> {
  for (let at = 0; at < body.length; at += pace / 20) {
    sending.write(body.subarray(at, at + pace / 20));
    await sleep(50);
  }
  sending.end();
}

const maskOf = (characters: number) => {
  const prefix = 'data:image/png;base64,';
  const bytes = Buffer.alloc(Math.floor((characters - prefix.length) / 4) * 3, 9);
  tinyPng.copy(bytes);
  const mask = prefix + bytes.toString('base64');
  return {
    bytes,
    body: Buffer.from(JSON.stringify({ prompt: 'x', image: 'lib_1', mode: 'inpaint', mask })),
  };
};

test('many of the largest masks at once are let in a few at a time', { timeout: 240_000 }, async () => {
  await using service = await startServiceProcess();
  const { bytes, body } = maskOf(maxMaskCharacters);
  const answers = await Promise.all(
    Array.from({ length: masks }, () => postAgain(`${service.url}/v1/images/edits`, service.key, body)),
  );
  for (const { status, text } of answers) assert.equal(status, 202, text);
  assert.equal(service.studio.uploads.files.size, masks);
  for (const { upload } of service.studio.uploads.files.values())
    assert.equal(upload.size_bytes, bytes.length);
  const status = await readFile(`/proc/${service.child.pid}/status`, 'utf8');
  const peakMegabytes = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  console.log(`${masks} masks: ${Math.round(peakMegabytes)} MB at most`);
  assert.ok(peakMegabytes < maxMegabytes, `${peakMegabytes} MB`);
});

test('masks on a slow line come side by side, and hold nobody else up', { timeout: 120_000 }, async () => {
  await using service = await startTestService();
  service.studio.balance.lifetime_millicredits = 1_000_000_000;
  const key = await service.createKey();
  const otherKey = await service.createKey({ accountId: await service.connectAccount() });
  const url = `${service.url}/v1/images/edits`;
  const { body } = maskOf(3_000_000);
  const began = performance.now();
  const secondsSince = () => (performance.now() - began) / 1_000;
  // Four seconds each; one after the other they would take forty.
  const slow = Array.from({ length: 10 }, () => post(url, key, body, 750_000));
  await sleep(1_000);
  assert.equal((await post(url, otherKey, maskOf(maxMaskCharacters).body)).status, 202);
  assert.ok(secondsSince() < 15, `the other was answered after ${secondsSince()} s`);
  for (const { status, text } of await Promise.all(slow)) assert.equal(status, 202, text);
  assert.ok(secondsSince() < 30, `the slow ones took ${secondsSince()} s`);
});

test('of a large body with a bad key little is read', async () => {
  await using service = await startTestService();
  const { hostname, port } = new URL(service.url);
  for (const [route, key] of [
    ['/v1/images/edits', 'rk_live_x'],
    ['/v1/uploads', 'rk_live_x'],
    ['/v1/uploads', await service.createKey({ scopes: ['read'] })],
  ]) {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.on('error', () => undefined);
    const head = `POST ${route} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: 1000000000\r\n\r\n`;
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.write(head);
    const chunk = Buffer.alloc(64 * 1024, 0x20);
    const gone = new Promise((resolve) => {
      socket.once('close', resolve);
    });
    // Sends as fast as the service reads. Apart from the kernel's buffers, unread bytes stay here.
    const send = () => {
      while (!socket.destroyed && socket.writable && socket.write(chunk));
    };
    socket.on('drain', send);
    send();
    await gone;
    assert.match(answer, /^HTTP\/1\.1 40[13] /, route);
    // Loopback's own buffers take a few megabytes; a body that is read would be a hundred times larger.
    assert.ok(socket.bytesWritten < 16 * 1024 * 1024, `${route}: ${socket.bytesWritten} bytes`);
  }
});
