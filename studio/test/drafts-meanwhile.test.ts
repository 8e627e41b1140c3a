import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { until } from '@renderkit/server-kit/testing/until.ts';
import {
  type ComfyCounterpart,
  startComfyCounterpart,
} from '@renderkit/engine-comfyui/testing/comfy-counterpart.ts';
import { firstWorkflow } from '@renderkit/engine-comfyui/testing/first-workflow.ts';
import { bindParameters } from '@renderkit/studio/administration/bind-parameters.ts';
import { followSample } from '@renderkit/studio/renders/samples.ts';
import { type Administration, connectAdministration } from './administration-calls.ts';
import { startTestStudio, type TestStudio } from './harness.ts';

// Drafts that are created while something else happens: a sample is rendered, or somebody else creates a draft.

const checkpoint = 'harbour.safetensors';
const owners = new AsyncDisposableStack();
let studio: TestStudio;
let comfy: ComfyCounterpart;
let administration: Administration;

before(async () => {
  comfy = owners.use(await startComfyCounterpart({ checkpoints: [checkpoint] }));
  studio = owners.use(await startTestStudio());
  administration = await connectAdministration(studio);
  await administration.call('addBackend', { body: { name: 'gpu1', engine: 'comfyui', url: comfy.url } });
});
after(() => owners[Symbol.asyncDispose]());
// Without this reset, all later tests would wait for what one test left there.
afterEach(() => {
  comfy.script.nodeMs = 0;
  comfy.faults.ignoresInterrupts = false;
});

async function importAs(id: string) {
  const imported = await administration.call('importModel', {
    query: { file_name: `${id}.json`, on: 'gpu1' },
    file: JSON.stringify(firstWorkflow(checkpoint, 64)),
  });
  assert.deepEqual([imported.version, imported.problems], [1, []]);
  return imported;
}

const sampleOf = (id: string, version: number) =>
  administration.call('getModelSample', { params: { id, version: String(version) } });

/** Begins a sample and waits until the machine has it. The sample does not end before the test releases it. */
async function beginSample(id: string): Promise<void> {
  comfy.script.nodeMs = 3_600_000;
  const begun = comfy.executions;
  await administration.call('sampleModel', { params: { id }, body: {} });
  await until(
    'the sample at the machine',
    async () => {
      const sample = await sampleOf(id, 1);
      // The machine was briefly too slow to report that it is alive.
      if (sample.state === 'failed') await administration.call('sampleModel', { params: { id }, body: {} });
      return sample;
    },
    {
      // The sample is running once a worker has it; a sample that is stopped before it is sent never reaches the
      // machine.
      isSo: ({ state }) => state === 'running' && comfy.executions > begun,
    },
  );
}

const untilInterrupted = (told: number) =>
  until('an interrupt', () => comfy.interrupts, { isSo: (seen) => seen > told });

async function rename(id: string, name: string) {
  const { source } = await administration.call('getModelVersion', { params: { id, version: '1' } });
  return administration.call('editModel', {
    params: { id },
    body: { base_version: 1, source: source.replace(/^name: .*$/m, `name: ${name}`) },
  });
}

test('drafts that make the same as one whose sample is rendered have that sample', async () => {
  await importAs('quay');
  await beginSample('quay');
  assert.equal((await rename('quay', 'A quay')).version, 2);
  assert.equal((await sampleOf('quay', 2)).state, 'running', 'it is seen there at once');
  await administration.refused('sampleModel', { params: { id: 'quay' }, body: {} }, 409, 'conflict');
  const jobs = comfy.jobs;
  comfy.script.nodeMs = 0;
  const made = await until('the end of the sample', () => sampleOf('quay', 2), {
    isSo: ({ state }) => state !== 'running',
  });
  assert.equal(made.state, 'succeeded', JSON.stringify(made));
  const { version: _, ...own } = await sampleOf('quay', 1);
  const { version: __, ...derived } = made;
  assert.deepEqual(derived, own);
  assert.ok(own.seconds !== null && own.thumbnail !== null);
  assert.equal(comfy.jobs, jobs, 'nothing was rendered twice');
});

test('a draft that makes something else while a sample is rendered has one of its own', async () => {
  await importAs('jetty');
  await beginSample('jetty');
  const { parameters } = await administration.call('getModelVersion', {
    params: { id: 'jetty', version: '1' },
  });
  const target = parameters.find(({ source }) => source === 'negative')?.target ?? '7.text';
  const bound = await administration.call('bindParameters', {
    params: { id: 'jetty' },
    body: { base_version: 1, bindings: [{ target, source: 'styles' }] },
  });
  assert.deepEqual([bound.version, bound.problems], [2, []]);
  assert.match((await sampleOf('jetty', 2)).state, /queued|running/);
  comfy.script.nodeMs = 0;
  for (const version of [1, 2]) {
    const made = await until('the end of the sample', () => sampleOf('jetty', version), {
      isSo: ({ state }) => state === 'succeeded' || state === 'failed',
    });
    assert.equal(made.state, 'succeeded', JSON.stringify(made));
    assert.ok(made.thumbnail !== null && made.seconds !== null);
  }
});

/** Checks that a stopped sample left neither rows nor files. */
async function assertNothingKept(id: string): Promise<void> {
  const { state, reason, seconds, thumbnail } = await until('the end of the sample', () => sampleOf(id, 1), {
    isSo: (sample) => sample.state !== 'running',
  });
  assert.deepEqual([state, reason, seconds, thumbnail], ['failed', 'It was stopped.', null, null]);
  const { rows } = await until(
    'the end of what it made',
    async () => ({
      rows: await studio.database.rows(
        `select s.state from submissions s where s.model_id = $1 and s.state in ('intended', 'sent', 'lost')`,
        [id],
      ),
    }),
    { isSo: (seen) => seen.rows.length === 0 },
  );
  assert.deepEqual(rows, [], 'its slot is free');
  const made = await studio.database.rows(
    'select a.id from assets a join renders r on r.id = a.render_id where r.model = $1',
    [id],
  );
  assert.deepEqual(made, []);
}

test('a sample that takes too long is stopped: the engine is told, and nothing of it is kept', async () => {
  await importAs('slip');
  const params = { id: 'slip' };
  await administration.refused('stopModelSample', { params, body: {} }, 409, 'conflict');
  await beginSample('slip');
  const told = comfy.interrupts;
  const { stopped } = await administration.call('stopModelSample', { params, body: { version: 1 } });
  assert.deepEqual(stopped, [{ version: 1, outcome: 'stopping' }]);
  await assertNothingKept('slip');
  await untilInterrupted(told);
  comfy.script.nodeMs = 0;
  await administration.call('sampleModel', { params, body: {} });
  const again = await until('the end of the sample', () => sampleOf('slip', 1), {
    isSo: ({ state }) => state === 'succeeded' || state === 'failed',
  });
  assert.equal(again.state, 'succeeded', 'another can be made');
  const acts = await administration.call('listAdministrationAudit', { query: { limit: '50' } });
  assert.ok(JSON.stringify(acts).includes('model.sample_stopped'));
});

test('what an engine makes in spite of a stop is thrown away', async () => {
  await importAs('weir');
  await beginSample('weir');
  const [render] = await studio.database.rows<{ id: string }>("select id from renders where model = 'weir'");
  const whyLate = async () => {
    const { signal } = new AbortController();
    const end = await followSample(studio.database, render?.id ?? '', {
      withinMs: 0,
      onLook: () => {},
      signal,
    });
    return end.made ? 'It was made.' : end.reason;
  };
  assert.match(await whyLate(), /it goes on, and model stop-sample ends it/);
  comfy.faults.ignoresInterrupts = true;
  const told = comfy.interrupts;
  await administration.call('stopModelSample', { params: { id: 'weir' }, body: {} });
  await untilInterrupted(told);
  assert.equal(await whyLate(), 'It is being stopped.');
  comfy.script.nodeMs = 0;
  await assertNothingKept('weir');
});

test('a draft that is dropped ends its sample, and is a draft again once it is added anew', async () => {
  await importAs('lock');
  const params = { id: 'lock' };
  await beginSample('lock');
  const told = comfy.interrupts;
  assert.equal((await administration.call('retireModel', { params })).state, 'retired');
  await assertNothingKept('lock');
  await untilInterrupted(told);
  await administration.refused('sampleModel', { params, body: {} }, 409, 'conflict');
  await administration.refused('retireModel', { params }, 409, 'conflict');
  comfy.script.nodeMs = 0;
  const again = await administration.call('importModel', {
    query: { file_name: 'lock.json', on: 'gpu1' },
    file: JSON.stringify(firstWorkflow(checkpoint, 64)),
  });
  assert.deepEqual([again.version, again.added], [1, false]);
  assert.equal((await administration.call('getManagedModel', { params })).state, 'draft');
});

test('a sample that waits is stopped at once', async () => {
  await importAs('ferry');
  await beginSample('ferry');
  await importAs('sluice');
  const params = { id: 'sluice' };
  const { body } = await until(
    'the stop',
    async () => {
      await administration.ask('sampleModel', { params, body: {} });
      return administration.ask('stopModelSample', { params, body: {} });
    },
    {
      // 409: the machine seemed to be down for a moment, and the sample was given up.
      isSo: ({ status }) => status === 200,
    },
  );
  assert.deepEqual(body, { id: 'sluice', stopped: [{ version: 1, outcome: 'ended' }] });
  await assertNothingKept('sluice');
  await administration.call('stopModelSample', { params: { id: 'ferry' }, body: {} });
  await assertNothingKept('ferry');
});

test('of two who change one draft the second is told, and nothing of the first is lost', async () => {
  const { parameters } = await importAs('pier');
  const targetOf = (wanted: string) => parameters.find(({ source }) => source === wanted)?.target ?? '';
  const params = { id: 'pier' };
  const bind = (target: string, source: string, base?: number) =>
    administration.ask('bindParameters', {
      params,
      body: { ...(base !== undefined && { base_version: base }), bindings: [{ target, source }] },
    });
  const both = await Promise.all([bind('7.text', 'styles', 1), bind(targetOf('width'), 'height', 1)]);
  assert.deepEqual(
    both.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 409],
  );
  const late = await bind('7.text', 'prompt', 1);
  assert.deepEqual([late.status, (late.body as { code: string }).code], [409, 'conflict']);
  assert.match((late.body as { message: string }).message, /changed meanwhile: look at version 2 first/);
  assert.equal((await administration.call('getManagedModel', { params })).versions.length, 2);
  const on = await bind('7.text', 'styles');
  assert.equal(on.status, 200, 'without a version it is the newest');
});

for (const moment of [1, 2, 3])
  test(`a change that comes right before statement ${moment} of another is told to that one`, async () => {
    const id = `mole-${moment}`;
    const { parameters } = await importAs(id);
    const width = parameters.find(({ source }) => source === 'width')?.target ?? '';
    const database = studio.database;
    let statements = 0;
    const rows: typeof database.rows = async (...statement) => {
      if (++statements === moment)
        await administration.call('bindParameters', {
          params: { id },
          body: { base_version: 1, bindings: [{ target: '7.text', source: 'styles' }] },
        });
      return database.rows(...statement);
    };
    const interrupted = { ...database, rows };
    const findingsOf = async () => {
      await interrupted.rows('select');
      return { problems: [], warnings: [] };
    };
    const asked = { id, base: 1, bindings: [{ target: width, source: 'height' }] };
    await assert.rejects(
      bindParameters(interrupted, asked, { actor: 'operator', findingsOf }),
      /changed meanwhile: look at version 2 first/,
    );
    assert.ok(statements >= moment);
    const { versions } = await administration.call('getManagedModel', { params: { id } });
    assert.equal(versions.length, 2);
  });
