import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { startS3Counterpart } from '@renderkit/blob-storage/testing/s3-counterpart.ts';
import { startTestStudio, type TestStudio } from './harness.ts';

let studio: TestStudio;
before(async () => (studio = await startTestStudio({ worker: false })));
after(() => studio[Symbol.asyncDispose]());

/** Returns the values of the metrics by name and labels, as in the text. */
async function readMetrics(url: string): Promise<Map<string, number>> {
  const answer = await fetch(`${url}/metrics`);
  assert.equal(answer.status, 200);
  const lines = (await answer.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line): [string, number] => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('a studio tells of renders that wait, of its workers and of its backends', async () => {
  const quiet = await readMetrics(studio.url);
  assert.equal(quiet.get('renderkit_renders{state="queued"}'), 0);
  assert.equal(quiet.get('renderkit_oldest_queued_render_seconds'), 0);
  assert.equal(quiet.get('renderkit_workers_alive'), 0);
  assert.equal(quiet.get('renderkit_database_up'), 1);
  assert.equal(quiet.get('renderkit_media_up'), 1);
  assert.ok((quiet.get('renderkit_data_directory_free_bytes') ?? 0) > 0);
  const account = await studio.connect({ tier: 'pro' });
  await account.submit('waits', { model: 'sandbox-slow', options: { seconds: 300 } });
  const meanwhile = await readMetrics(studio.url);
  assert.equal(meanwhile.get('renderkit_renders{state="queued"}'), 1);
  assert.ok((meanwhile.get('renderkit_oldest_queued_render_seconds') ?? 0) > 0);
  assert.ok(meanwhile.has('renderkit_loop_rounds{loop="clean"}'));
  const states = [...meanwhile.keys()].filter((key) => key.startsWith('renderkit_backend_state{'));
  assert.ok(states.some((key) => key.includes('backend="procedural"')));
});

test('a worker with a port tells of its health and of what it is at', async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  {
    await using _ = await studio.startWorker({ port });
    assert.deepEqual(await (await fetch(`${url}/healthz`)).json(), { status: 'ok' });
    assert.deepEqual(await (await fetch(`${url}/readyz`)).json(), { status: 'ready' });
    const metrics = await readMetrics(url);
    assert.ok(metrics.has('renderkit_worker_renders'));
    assert.ok(metrics.has('renderkit_loop_seconds_since_good_round{loop="claims"}'));
    assert.equal((await readMetrics(studio.url)).get('renderkit_workers_alive'), 1);
    const elsewhere = await fetch(`${url}/metrics`, { headers: { 'sec-fetch-site': 'cross-site' } });
    assert.deepEqual(
      [elsewhere.status, ((await elsewhere.json()) as { code: string }).code],
      [404, 'not_found'],
    );
    await assert.rejects(studio.startWorker({ port }), /WORKER_PORT/);
  }
  await assert.rejects(fetch(`${url}/healthz`));
});

test('a bucket that answers slowly is there for each part that uses it', async () => {
  await using server = await startS3Counterpart();
  const port = await freePort();
  await using onS3 = await startTestStudio({ worker: false, config: { s3: server.config } });
  await using _ = await onS3.startWorker({ port });
  server.onRequest = () => sleep(1_200);
  for (const url of [onS3.url, `http://127.0.0.1:${port}`]) {
    const ready = async () => (await fetch(`${url}/readyz`)).text();
    await until('readiness', ready, { isSo: (text) => text === '{"status":"ready"}', everyMs: 100 });
    assert.equal((await readMetrics(url)).get('renderkit_media_up'), 1);
  }
});

test('a bucket that is away is told by each part that uses it', async () => {
  const server = await startS3Counterpart();
  const port = await freePort();
  await using onS3 = await startTestStudio({ worker: false, config: { s3: server.config } });
  await using _ = await onS3.startWorker({ port });
  await server[Symbol.asyncDispose]();
  for (const url of [onS3.url, `http://127.0.0.1:${port}`]) {
    assert.equal((await readMetrics(url)).get('renderkit_media_up'), 0);
    assert.deepEqual(await (await fetch(`${url}/readyz`)).json(), {
      status: 'degraded',
      missing: ['media'],
    });
  }
});
