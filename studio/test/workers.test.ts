import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Engine, EngineError, type RenderedFile } from '@renderkit/engine-kit/engine.ts';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { openJobQueues } from '@renderkit/studio/jobs/job-queues.ts';
import { checkLedger, showLedger } from '@renderkit/studio/operator.ts';
import { finishRender } from '@renderkit/studio/renders/store.ts';
import { readChanges, startTestStudio, type TestStudio, untilFound } from './harness.ts';

const png = Buffer.from('\u0089PNG not really', 'latin1');

/** Returns an engine that draws nothing real; `script` may throw or wait before each output. */
function scriptedEngine(
  script: (attempt: number, index: number, signal: AbortSignal) => Promise<void>,
): Engine {
  let attempts = 0;
  return {
    id: 'procedural',
    kinds: ['image'],
    models: ['atelier'],
    render: async function* render(request, signal) {
      const attempt = ++attempts;
      for (let index = 0; index < request.outputs; index++) {
        await script(attempt, index, signal);
        yield {
          index,
          bytes: png,
          contentType: 'image/png',
          width: 1024,
          height: 1024,
          thumbnail: { bytes: png, contentType: 'image/webp', width: 256, height: 256 },
          nsfw: false,
        } satisfies RenderedFile;
      }
    },
  };
}

const mediaOf = (studio: TestStudio) => studio.mediaKeys();

test('a render that fails three times has failed: refunded, told, and nothing of it is left', async () => {
  const attempts: number[] = [];
  const engine = scriptedEngine(async (attempt, index) => {
    attempts.push(attempt);
    if (index === 1) throw new EngineError('render_failed', 'no luck');
    if (attempt < 3) throw new Error('worse');
    throw new EngineError('render_failed', 'no luck');
  });
  await using studio = await startTestStudio({ engines: [engine] });
  const account = await studio.connect({ tier: 'pro' });
  await account.submit('unlucky');
  const render = await account.finished('unlucky');
  assert.deepEqual([render.status, render.error?.code, render.outputs], ['failed', 'render_failed', []]);
  assert.deepEqual(attempts, [1, 2, 3]);
  const entries = (await showLedger(studio.database, account.email)).map(({ kind }) => kind);
  assert.deepEqual(entries, ['opening', 'charge', 'refund']);
  const [moved] = await readChanges(studio.url, [{ account: account.id, cursor: 1 }]);
  assert.ok(moved?.status === 'changes');
  assert.deepEqual(
    moved.changes.map(({ render: inFeed }) => (inFeed as { status: string }).status),
    ['failed'],
  );
  for (let i = 0; i < 100 && (await mediaOf(studio)).length > 0; i++) await sleep(50);
  assert.deepEqual(await mediaOf(studio), []);
  assert.deepEqual(await checkLedger(studio.database), []);
});

test('what a new try cannot mend fails at once', async () => {
  let tries = 0;
  const engine = scriptedEngine(async () => {
    tries++;
    throw new EngineError('invalid_request', 'The picture would have no sides.');
  });
  await using studio = await startTestStudio({ engines: [engine] });
  const account = await studio.connect({ tier: 'pro' });
  await account.submit('hopeless');
  const render = await account.finished('hopeless');
  const message = 'The picture would have no sides.';
  assert.deepEqual(render.error, { code: 'invalid_request', message, stage: 'rendering' });
  assert.equal(tries, 1);
  assert.equal((await account.balance()).monthly_millicredits, 5_000_000);
});

test('outputs that were finished before the last failure are kept, paid for, and called partial', async () => {
  const engine = scriptedEngine(async (_, index) => {
    if (index === 1) throw new EngineError('render_failed', 'the second never comes');
  });
  await using studio = await startTestStudio({ engines: [engine] });
  const account = await studio.connect({ tier: 'pro' });
  await account.submit('half', { model: 'linework-1' });
  const render = await account.finished('half');
  assert.deepEqual(
    [render.status, render.error?.code, render.outputs.length, render.expected_outputs],
    ['succeeded', 'partial_failure', 1, 2],
  );
  assert.equal((await account.balance()).monthly_millicredits, 5_000_000 - 6_000);
  // Files of earlier tries are removed after the outcome was reported.
  for (let i = 0; i < 100 && (await mediaOf(studio)).length > 2; i++) await sleep(50);
  assert.equal((await mediaOf(studio)).length, 2);
});

test('a worker that was overtaken writes nothing, and what it stored is removed', async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  let began = () => {};
  const drawing = new Promise<void>((resolve) => (began = resolve));
  const engine = scriptedEngine(async () => {
    began();
    await released;
  });
  await using studio = await startTestStudio({ engines: [engine] });
  const account = await studio.connect({ tier: 'pro' });
  const answer = await account.submit('slow');
  assert.ok(answer.outcome === 'accepted');
  await drawing;
  // What the job queue does with a job whose workers died.
  const moved = await finishRender(studio.database, {
    render: answer.render.render_id,
    attempt: null,
    status: 'failed',
    error: { code: 'render_lost', message: 'lost' },
    assets: [],
  });
  assert.equal(moved?.account_id, account.id);
  release();
  for (let i = 0; i < 50 && (await mediaOf(studio)).length === 0; i++)
    await new Promise((resolve) => setTimeout(resolve, 20));
  for (let i = 0; i < 100 && (await mediaOf(studio)).length > 0; i++)
    await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(await mediaOf(studio), []);
  const render = await account.finished('slow');
  assert.deepEqual([render.status, render.outputs], ['failed', []]);
  assert.deepEqual(await checkLedger(studio.database), []);
});

test('a worker whose lease ran out while it stood still goes on, and does not take itself over', async () => {
  const attempts: number[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const engine = scriptedEngine(async (attempt) => {
    attempts.push(attempt);
    await released;
  });
  await using studio = await startTestStudio({ engines: [engine] });
  const { database } = studio;
  const account = await studio.connect({ tier: 'pro' });
  await account.submit('late', { model: 'linework-1' });
  while (attempts.length === 0) await sleep(20);
  assert.equal(await database.execute('update submissions set lease_until = clock()'), 1);
  await untilFound(database, 'select from submissions where lease_until > clock()');
  release();
  const { status, outputs } = await account.finished('late');
  assert.deepEqual([status, outputs.length, attempts], ['succeeded', 2, [1, 1]]);
  assert.deepEqual(await database.rows('select attempt from submissions'), [{ attempt: 1 }]);
});

test('an output serves as a reference of the next render, for its owner alone', async () => {
  await using studio = await startTestStudio();
  const account = await studio.connect({ tier: 'pro' });
  const other = await studio.connect({ tier: 'pro' });
  await account.submit('first', { options: { seed: 7 } });
  const [output] = (await account.finished('first')).outputs;
  assert.ok(output);
  const more = { model: 'atelier-1', prompt: 'the same in blue', reference_images: [output.id] };
  assert.deepEqual((await other.quote(more)).unknown_ids, ['reference_images[0]']);
  assert.equal((await account.submit('second', more)).outcome, 'accepted');
  const second = await account.finished('second');
  assert.equal(second.status, 'succeeded', JSON.stringify(second.error));
  const projects = await account.call<{ projects: { last_generation: { url: string } }[] }>(
    'GET',
    '/api/projects?page=1&limit=5',
  );
  assert.equal(projects.body.projects[0]?.last_generation.url, second.outputs[0]?.url);
});

test('the same seed makes the same image, and no seed makes another', async () => {
  await using studio = await startTestStudio();
  const account = await studio.connect({ tier: 'pro' });
  const bytes = async (token: string, seed: number) => {
    await account.submit(token, { options: { seed } });
    const { outputs } = await account.finished(token);
    return Buffer.from(await (await fetch(outputs[0]?.url ?? '')).arrayBuffer()).toString('base64');
  };
  const [a, b, c, d] = [await bytes('a', 5), await bytes('b', 5), await bytes('c', -1), await bytes('d', -1)];
  assert.equal(a, b);
  assert.equal(new Set([a, c, d]).size, 3);
});

test('a render of the release before waits as a job, and is made once: after whoever is at it has ended', async () => {
  await using studio = await startTestStudio({ worker: false });
  const { database } = studio;
  const account = await studio.connect({ tier: 'pro' });
  await using queues = await openJobQueues({
    databaseUrl: studio.databaseUrl,
    log: createLogger({ part: 'test', level: 'silent' }),
    applicationName: 'test',
    poolSize: 2,
  });
  await queues.define('renders-image', { retries: 2, expireSeconds: 600 });
  const tokens = ['waits', 'active', 'forgotten'];
  for (const token of tokens) {
    const answer = await account.submit(token);
    assert.ok(answer.outcome === 'accepted');
    const job = randomUUID();
    await database.transaction(async (transaction) => {
      await transaction.execute(
        `update renders set tag = null, shape = null, seed = null, model_version = null, job_id = $2 where id = $1`,
        [answer.render.render_id, job],
      );
      const data = { render: answer.render.render_id };
      if (token !== 'forgotten') await queues.enqueue(transaction, 'renders-image', [{ id: job, data }]);
    });
  }
  const setState = (state: string) =>
    database.execute(
      `update pgboss.job set state = $1::pgboss.job_state, started_on = clock()
       where id = (select job_id from renders where token = 'active')`,
      [state],
    );
  await setState('active');
  await using _worker = await studio.startWorker();
  for (const token of ['waits', 'forgotten'])
    assert.equal((await account.finished(token)).status, 'succeeded');
  const [active] = await database.rows<{ status: string; attempt: number }>(
    `select status, attempt from renders where token = 'active'`,
  );
  assert.deepEqual(active, { status: 'queued', attempt: 0 });
  await setState('retry');
  assert.equal((await account.finished('active')).status, 'succeeded');
  assert.deepEqual(await database.rows(`select from pgboss.job where name = 'renders-image'`), []);
  const kinds = (await showLedger(database, account.email)).map(({ kind }) => kind);
  assert.deepEqual(kinds, ['opening', 'charge', 'charge', 'charge']);
  assert.equal((await mediaOf(studio)).length, 6);
});
