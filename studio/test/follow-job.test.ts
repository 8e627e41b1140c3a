import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineFailure, EngineJob } from '@renderkit/engine-kit/driver.ts';
import type {
  CounterpartAnswer,
  CounterpartRequest,
  Mishap,
} from '@renderkit/engine-kit/testing/counterpart.ts';
import { createReplicateDriver } from '@renderkit/engine-replicate/driver.ts';
import { ReplicateCounterpart, resultBytes } from '@renderkit/engine-replicate/testing/counterpart.ts';
import { followToEnd, type FollowLimits } from '@renderkit/studio/renders/follow-job.ts';

const never = new AbortController().signal;
const pauses = { unreachable: 5, maxUnreachable: 20, minLook: 50, lastLook: 50 };
/** A test waits this long for something that must not happen. */
const longSeconds = 60;

type Followed = AsyncDisposable & {
  provider: ReplicateCounterpart;
  follow: (limits: Partial<FollowLimits>) => Promise<string[]>;
};

/** Submits a job to a provider. `follow` follows the job and returns the texts of the results. */
async function submit(provider = new ReplicateCounterpart()): Promise<Followed> {
  await using owners = new AsyncDisposableStack();
  owners.use(await provider.start());
  const folder = await mkdtemp(path.join(tmpdir(), 'follow-test-'));
  owners.defer(() => rm(folder, { recursive: true, force: true }));
  const driver = owners.use(
    createReplicateDriver({
      backend: { name: 'provider', url: provider.base, headers: {}, secret: undefined, egressAllow: [] },
      log: { warn: () => undefined, debug: () => undefined },
      pollMs: { first: 2, quiet: 10 },
    }),
  );
  const job: EngineJob = {
    id: '0c9c8a3e-5f0f-4b7a-9d5e-2f8a1f6b7c11',
    route: {
      name: 'provider',
      engine: 'replicate',
      on: ['provider'],
      endpoint: 'black-forest-labs/flux-dev',
      set: {},
      outputs: { kind: 'image', at: '/*', max_per_job: 1 },
    },
    files: new Map(),
    values: [],
    outputs: 1,
  };
  const handle = await driver.submit(await driver.prepare(job, never), job.id, never);
  const owned = owners.move();
  return {
    provider,
    follow: async (limits) => {
      const usual = { runSeconds: longSeconds, startSeconds: undefined, silentSeconds: undefined };
      const all = { ...usual, since: null, signal: never, pauses, report: () => undefined, ...limits };
      const { files } = await followToEnd(driver, { handle, job: { ...job, folder } }, all);
      return Promise.all(files.map((file) => readFile(file.path, 'utf8')));
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const made = [resultBytes(0).toString()];
const waits: Mishap[] = Array.from({ length: 1_000 }, () => ({ json: { status: 'starting' } }));
const isFailure = (code: EngineFailure['code']) => ({ name: 'EngineFailure', blame: 'backend', code });

test('a job that is not begun in its time is canceled, and may be made elsewhere', async () => {
  await using followed = await submit();
  const { provider, follow } = followed;
  provider.mishaps('look', ...waits);
  await assert.rejects(follow({ startSeconds: 0.01 }), isFailure('engine_unavailable'));
  assert.equal(provider.asked.cancel, 1);
});

test('where nobody says that it was canceled, a job that is late may have been made', async () => {
  await using followed = await submit();
  const { provider, follow } = followed;
  provider.mishaps('look', ...waits);
  provider.mishaps('cancel', { status: 502 });
  await assert.rejects(follow({ startSeconds: 0.01 }), isFailure('render_timeout'));
});

test('the time of a job begins when its engine begins it', async () => {
  await using followed = await submit();
  const { provider, follow } = followed;
  provider.mishaps('look', ...waits.slice(0, 20));
  const since = new Date(Date.now() - 600_000);
  assert.deepEqual(await follow({ startSeconds: 900, runSeconds: longSeconds, since }), made);
  assert.equal(provider.asked.cancel, 0);
});

test('a job that runs for too long is canceled', async () => {
  await using followed = await submit();
  const { provider, follow } = followed;
  provider.held = true;
  await assert.rejects(follow({ runSeconds: 0.01 }), isFailure('render_timeout'));
  await using other = await submit();
  other.provider.held = true;
  const late = other.follow({ runSeconds: 0.01, startSeconds: longSeconds });
  await assert.rejects(late, isFailure('render_timeout'));
  assert.deepEqual([provider.asked.cancel, other.provider.asked.cancel], [1, 1]);
});

test('what a cancel makes of a late job, whose answer was lost, is no other failure than that it was late', async () => {
  await using followed = await submit();
  const { provider, follow } = followed;
  provider.held = true;
  provider.mishaps('cancel', 'lost_answer');
  const late = follow({ runSeconds: 0.01, pauses: { ...pauses, lastLook: 60_000 } });
  await assert.rejects(late, isFailure('render_timeout'));
});

test('a standstill of our own is not taken for a job that is silent', async () => {
  await using followed = await submit();
  const { provider, follow } = followed;
  provider.held = true;
  const following = follow({ silentSeconds: 0.6, pauses: { ...pauses, minLook: 60_000 } });
  await sleep(100);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_900);
  provider.held = false;
  assert.deepEqual(await following, made);
  assert.equal(provider.asked.cancel, 0);
});

test('a job that was sent long ago has the time of a look', async () => {
  await using followed = await submit();
  const since = new Date(Date.now() - 3_600_000);
  assert.deepEqual(
    await followed.follow({ runSeconds: 1, since, pauses: { ...pauses, minLook: 60_000 } }),
    made,
  );
});

test('a job of which nothing is heard is canceled, though its time is not over', async () => {
  await using followed = await submit();
  const { provider, follow } = followed;
  provider.mishaps('look', ...Array.from({ length: 1_000 }, () => ({ status: 502 })));
  await assert.rejects(follow({ silentSeconds: 0.05 }), isFailure('render_timeout'));
  assert.equal(provider.asked.cancel, 1);
});

test('a job that was done when it was to be canceled is taken', async () => {
  class Late extends ReplicateCounterpart {
    override held = true;
    protected override async answer(request: CounterpartRequest): Promise<CounterpartAnswer> {
      if (request.purpose !== 'cancel') return super.answer(request);
      this.held = false;
      return { json: { status: 'succeeded' } };
    }
  }
  await using followed = await submit(new Late());
  const patient = { ...pauses, lastLook: longSeconds * 1_000 };
  assert.deepEqual(await followed.follow({ runSeconds: 0.01, pauses: patient }), made);
});

test('an engine that cannot be asked for a while is asked on, and its job sent once', async () => {
  await using followed = await submit();
  const { provider, follow } = followed;
  const away: Mishap[] = [
    'lost_request',
    'lost_answer',
    'cut_off',
    'nonsense',
    { status: 503 },
    { status: 429 },
  ];
  provider.mishaps('look', ...away, ...away, ...away);
  assert.deepEqual(await follow({}), made);
  assert.deepEqual([provider.asked.submit, provider.jobs, provider.asked.cancel], [1, 1, 0]);
});
