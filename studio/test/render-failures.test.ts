import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StudioAnswer } from '@renderkit/contract/studio/operations.ts';
import type { JsonObject } from '@renderkit/engine-kit/route.ts';
import type { CounterpartAnswer, CounterpartRequest } from '@renderkit/engine-kit/testing/counterpart.ts';
import { ReplicateCounterpart } from '@renderkit/engine-replicate/testing/counterpart.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { moveClock } from '@renderkit/server-kit/testing/database.ts';
import { addVersion, publishModel, withCatalog } from '@renderkit/studio/catalog/publish.ts';
import { readManifest } from '@renderkit/manifests/read-manifest.ts';
import { checkLedger, setAccount, showLedger } from '@renderkit/studio/operator.ts';
import { maxFailures } from '@renderkit/studio/renders/end-submission.ts';
import { startTestStudio, type TestAccount, type TestStudio, untilOffered } from './harness.ts';
import { makeImage } from './media-files.ts';

const source = `
manifest: 1
id: bought
name: Bought
suites: [image]
batch_size: { Conjure: 1 }
parameters:
  aspect_ratios: [{ ratio: '1:1', width: 64, height: 64 }]
price: { base_millicredits: 1000 }
routes:
  - name: replicate
    engine: replicate
    on: [provider]
    endpoint: black-forest-labs/flux-dev
    set:
      /prompt: { text: '{prompt}' }
      /seed: { from: seed }
    outputs: { at: /*, kind: image, max_per_job: 1 }
    cost: { currency: USD, per_output: 0.001 }
    on_unknown: fail
`;

/** The ends of predictions by prompt. The prompt is the error code with which its render must fail. */
const ends: Record<string, JsonObject> = {
  moderation_blocked: { status: 'failed', error: 'The output was flagged as sensitive (E005).' },
  out_of_memory: { status: 'failed', error: 'CUDA out of memory.' },
  render_failed: { status: 'failed', error: 'TypeError: no such thing' },
  render_timeout: { status: 'aborted' },
};

/** A provider that behaves as the prompts demand. */
class Provider extends ReplicateCounterpart {
  protected override async answer(request: CounterpartRequest): Promise<CounterpartAnswer> {
    const asked = (request.json?.['input'] as JsonObject | undefined)?.['prompt'];
    if (request.purpose === 'submit' && asked === 'invalid_request')
      return { status: 422, json: { detail: [{ loc: ['body', 'input', 'prompt'], msg: 'too rude' }] } };
    const answer = await super.answer(request);
    if (request.purpose !== 'look') return answer;
    const shown = answer.json as JsonObject;
    const end = ends[(shown['input'] as { prompt: string }).prompt];
    return shown['status'] === 'succeeded' && end !== undefined ? { json: { ...shown, ...end } } : answer;
  }
}

type Opened = AsyncDisposable & { studio: TestStudio; provider: Provider };

async function open(): Promise<Opened> {
  await using owners = new AsyncDisposableStack();
  const provider = owners.use(await new Provider().start());
  const studio = owners.use(await startTestStudio({ worker: false }));
  const { manifest } = readManifest(source);
  assert.ok(manifest);
  await withCatalog(studio.database, async (transaction) => {
    await addVersion(transaction, { manifest, source, files: {} }, 'operator');
    await publishModel(transaction, 'bought', undefined, 'operator');
  });
  await studio.database.execute(
    `insert into backends (name, engine, url, slots, next_check_at, checked_revision)
     values ('provider', 'replicate', $1, 10, 'infinity', 1000000)`,
    [provider.base],
  );
  await studio.database.execute(
    `insert into route_fits (backend, model_id, version, route, fits) values ('provider', 'bought', 1, 0, true)`,
  );
  const owned = owners.move();
  return { studio, provider, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Submits a render of a new account, which is accepted. */
async function accept({ studio }: Opened, token: string): Promise<TestAccount> {
  const account = await studio.connect({ tier: 'pro' });
  await untilOffered(account, 'bought');
  const { outcome } = await account.submit(token, { model: 'bought', prompt: token });
  assert.equal(outcome, 'accepted');
  return account;
}

async function isRefunded({ database }: TestStudio, { email }: TestAccount): Promise<boolean> {
  assert.deepEqual(await checkLedger(database), []);
  return (await showLedger(database, email)).some(({ kind }) => kind === 'refund');
}

type RenderErrors = StudioAnswer<'listRenderErrors'>;

type Render = { status: string; error: { code: string; stage?: string } | null };

async function readRender(database: Database, token: string): Promise<Render | undefined> {
  const [render] = await database.rows<Render>('select status, error from renders where token = $1', [token]);
  return render;
}

async function submissionsOf(database: Database): Promise<number> {
  return (await database.rows('select from submissions')).length;
}

test('whatever a job at a provider ends by, its render fails once with the code for it, and is refunded', async () => {
  await using opened = await open();
  const { studio, provider } = opened;
  const codes = [...Object.keys(ends), 'invalid_request'];
  const accounts = await Promise.all(codes.map((code) => accept(opened, code)));
  await using _worker = await studio.startWorker();
  for (const [index, account] of accounts.entries()) {
    const code = codes[index] ?? '';
    const { status, error } = await account.finished(code);
    assert.deepEqual([status, error?.code], ['failed', code]);
    // The engine refused `invalid_request`, and had begun the others.
    assert.equal(error?.stage === 'submitting', code === 'invalid_request', `${code}: ${error?.stage}`);
    assert.ok(error?.stage !== undefined, code);
    assert.doesNotMatch(error?.message ?? '', /provider|replicate|127\.0\.0\.1|cuda/i);
    assert.ok(await isRefunded(studio, account), code);
  }
  const [refused] = accounts.slice(-1);
  assert.ok(refused !== undefined);
  const faultsOf = () =>
    refused.call<RenderErrors>('GET', '/api/administration/renders/invalid_request/faults');
  assert.equal((await faultsOf()).status, 403);
  await setAccount(studio.database, refused.email, { administrator: true });
  const { faults } = (await faultsOf()).body;
  const [fault] = faults;
  assert.deepEqual(
    [faults.length, fault?.backend, fault?.code, fault?.stage],
    [1, 'provider', 'invalid_request', 'submitting'],
  );
  assert.match(fault?.reason ?? '', /too rude/, 'an administrator reads which field it was');
  assert.equal(await submissionsOf(studio.database), codes.length, 'nothing was tried again');
  assert.equal(provider.jobs, codes.length - 1);
  const [fit] = await studio.database.rows(`select fits from route_fits where backend = 'provider'`);
  assert.deepEqual(fit, { fits: true }, 'a render that is too large closes no route');
});

test('a provider that has had enough for now fails no render, however often it says so', async () => {
  await using opened = await open();
  const { studio, provider } = opened;
  const enough = { status: 429, headers: { 'retry-after': '0' }, json: { detail: 'too many requests' } };
  provider.mishaps('submit', ...Array.from({ length: maxFailures + 2 }, () => enough));
  await accept(opened, 'limited');
  await using _worker = await studio.startWorker();
  const isSent = () => studio.database.rows(`select from submissions where state = 'sent'`);
  for (let i = 0; i < 400 && (await isSent()).length === 0; i++) await sleep(50);
  assert.equal((await readRender(studio.database, 'limited'))?.status, 'running');
  assert.deepEqual([provider.jobs, await submissionsOf(studio.database)], [1, maxFailures + 3]);
});

test('what was paid for is fetched until its host is back, and stored once that works; nothing is bought again', async () => {
  await using opened = await open();
  const { studio, provider } = opened;
  const image = await makeImage({ width: 64, height: 64 });
  Object.assign(provider, { resultOf: () => image });
  const pauses = { fetchAgain: 2, spaceAgain: 5 };
  provider.mishaps('result', ...Array.from({ length: 6 }, () => ({ status: 503 })), 'cut_off');
  const away = await accept(opened, 'away');
  let faults = 0;
  const crashPoint = (name: string) => {
    if (name === 'submission: result' && (faults += 1) < 3)
      throw Object.assign(new Error('a folder is not ours'), { code: 'EACCES' });
  };
  await using _worker = await studio.startWorker({ pauses, crashPoint });
  const { status, error } = await away.finished('away');
  assert.deepEqual([status, error ?? null], ['succeeded', null]);
  assert.equal(faults, 3);
  assert.deepEqual([provider.jobs, await submissionsOf(studio.database)], [1, 1]);
});

test('a stop ends the waiting for a result whose host stays away', async () => {
  await using opened = await open();
  const { studio, provider } = opened;
  provider.mishaps('result', ...Array.from({ length: 1_000 }, () => ({ status: 503 })));
  const account = await accept(opened, 'away');
  await using _worker = await studio.startWorker({ pauses: { askAgain: 5 } });
  while ((provider.asked.result ?? 0) < 1) await sleep(20);
  // The next try would be in twenty seconds, and the last in ten minutes.
  await studio.database.execute(`update renders set stop_requested_at = clock() where token = 'away'`);
  const { status, error } = await account.finished('away');
  assert.deepEqual([status, error?.code], ['failed', 'stopped']);
  assert.equal(provider.jobs, 1);
  assert.ok(provider.asked.result <= 3, `${provider.asked.result} looks`);
});

test('a paid result that is of no use, or that we can do nothing with, ends its render: it is bought once', async () => {
  await using opened = await open();
  const { studio, provider } = opened;
  provider.mishaps('result', ...Array.from({ length: 50 }, () => ({ status: 404 })));
  const gone = await accept(opened, 'gone');
  const crashPoint = (name: string) => {
    if (name === 'submission: sent') throw new Error('a fault of our own');
  };
  await using worker = await studio.startWorker({ pauses: { fetchAgain: 2 } });
  assert.equal((await gone.finished('gone')).error?.code, 'render_failed');
  assert.equal(provider.asked.result, 3);
  await worker[Symbol.asyncDispose]();
  const faulty = await accept(opened, 'faulty');
  await using _other = await studio.startWorker({ crashPoint });
  assert.equal((await faulty.finished('faulty')).error?.code, 'render_failed');
  assert.deepEqual([provider.jobs, await submissionsOf(studio.database)], [2, 2]);
  assert.ok((await isRefunded(studio, gone)) && (await isRefunded(studio, faulty)));
});

test('a job that may have been made, and nobody can tell, is not sent again', async () => {
  await using opened = await open();
  const { studio, provider } = opened;
  provider.mishaps('submit', 'lost_answer');
  provider.mishaps('find', ...Array.from({ length: 50 }, () => ({ status: 403 })));
  const account = await accept(opened, 'unknown');
  await using _worker = await studio.startWorker();
  const isOld = () =>
    studio.database.execute(
      `update submissions set lost_at = clock() - interval '1 hour' where state = 'lost'`,
    );
  for (let i = 0; i < 200 && (await isOld()) === 0; i++) await sleep(50);
  const { error } = await account.finished('unknown');
  assert.equal(error?.code, 'outcome_unknown');
  assert.ok(await isRefunded(studio, account));
  assert.deepEqual([provider.asked.submit, await submissionsOf(studio.database)], [1, 1]);
});

test('a render that nothing can make for an hour fails and is refunded; a long queue is no reason', async () => {
  await using opened = await open();
  const { studio } = opened;
  const { database } = studio;
  const account = await accept(opened, 'waits');
  const statusAfter = async (seconds: number) => {
    await moveClock(database, seconds);
    await studio.clean();
    return (await readRender(database, 'waits'))?.status;
  };
  assert.equal(await statusAfter(3_700), 'queued', 'its backend is up');
  await database.execute(`update backends set up = false, up_since = clock() where name = 'provider'`);
  assert.equal(await statusAfter(3_700 + 3_500), 'queued', 'it may come back');
  assert.equal(await statusAfter(3_700 + 3_700), 'failed');
  assert.equal((await readRender(database, 'waits'))?.error?.code, 'engine_unavailable');
  assert.ok(await isRefunded(studio, account));
});

test('a render that no backend makes for its price fails in the end, and one whose video waits has longer', async () => {
  await using opened = await open();
  const { studio } = opened;
  const { database } = studio;
  await accept(opened, 'image');
  await accept(opened, 'video');
  await database.execute(`update renders set lane = 'video' where token = 'video'`);
  await database.execute('update renders set cost_millicredits = 1');
  await moveClock(database, 3_700);
  await studio.clean();
  assert.equal((await readRender(database, 'image'))?.error?.code, 'engine_unavailable');
  assert.equal((await readRender(database, 'video'))?.status, 'queued');
  await moveClock(database, 6 * 3_600 + 10);
  await studio.clean();
  assert.equal((await readRender(database, 'video'))?.error?.code, 'engine_unavailable');
});
