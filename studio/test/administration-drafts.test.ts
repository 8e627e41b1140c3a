import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type ComfyCounterpart,
  startComfyCounterpart,
} from '@renderkit/engine-comfyui/testing/comfy-counterpart.ts';
import { firstWorkflow } from '@renderkit/engine-comfyui/testing/first-workflow.ts';
import { A1111Counterpart } from '@renderkit/engine-a1111/testing/counterpart.ts';
import { type Administration, connectAdministration } from './administration-calls.ts';
import { startTestStudio, type TestStudio } from './harness.ts';

const checkpoint = 'harbour.safetensors';
const graph = firstWorkflow(checkpoint, 64);

/** A sampler without a known convention: the import can only guess the prompt. */
const poster = {
  '3': {
    class_type: 'HouseSampler',
    inputs: { model: ['4', 0], guide: ['6', 0], latent_image: ['5', 0], effort: 4 },
  },
  '4': graph['4'],
  '5': graph['5'],
  '6': graph['6'],
  '8': graph['8'],
  '9': graph['9'],
};

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

const importGraph = (name: string, content: unknown = graph, more: Record<string, string> = {}) =>
  administration.call('importModel', {
    query: { file_name: name, on: 'gpu1', ...more },
    file: JSON.stringify(content),
  });

test('a workflow becomes a draft with its parameters, is mended, sampled, priced and offered', async () => {
  const imported = await importGraph('Harbour.json');
  assert.deepEqual(
    [imported.id, imported.version, imported.added, imported.problems],
    ['harbour', 1, true, []],
  );
  assert.ok(
    imported.parameters.some(({ target, source }) => target.endsWith('.text') && source === 'prompt'),
  );
  assert.equal(imported.nodes, Object.keys(graph).length);
  const params = { id: 'harbour' };
  assert.equal((await importGraph('Harbour.json')).added, false);

  const negative = imported.parameters.find(({ target }) => target.includes('negative')) ?? {
    target: '7.text',
  };
  const bound = await administration.call('bindParameters', {
    params,
    body: { bindings: [{ target: negative.target, source: 'styles' }] },
  });
  assert.deepEqual([bound.version, bound.problems], [2, []]);
  const { source, parameters, files } = await administration.call('getModelVersion', {
    params: { ...params, version: '2' },
  });
  assert.ok(
    parameters.some(({ sources }) => sources.includes('styles')),
    JSON.stringify(parameters),
  );
  assert.deepEqual(Object.keys(files), ['harbour.workflow.json']);

  const edited = await administration.call('editModel', {
    params,
    body: { base_version: 2, source: source.replace(/^name: .*$/m, 'name: The harbour') },
  });
  assert.deepEqual([edited.version, edited.problems], [3, []]);
  assert.equal((await administration.call('getManagedModel', { params })).state, 'draft');

  const begun = await administration.call('sampleModel', { params, body: {} });
  assert.match(begun.state, /queued|running|succeeded/);
  const version = { ...params, version: '3' };
  let sample = begun;
  for (let i = 0; i < 300 && !['succeeded', 'failed'].includes(sample.state); i++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    sample = await administration.call('getModelSample', { params: version });
  }
  assert.equal(sample.state, 'succeeded', JSON.stringify(sample));
  assert.ok((sample.seconds ?? -1) >= 0 && (sample.proposed_millicredits ?? 0) >= 1_000);
  assert.equal((await fetch(sample.thumbnail ?? '')).status, 200);

  const price = { price_millicredits: 2_500 };
  await administration.refused(
    'publishModel',
    { params, body: price, fresh: false },
    403,
    'sign_in_required',
  );
  assert.deepEqual(await administration.call('publishModel', { params, body: price }), {
    id: 'harbour',
    version: 4,
    warnings: [],
  });
  const { state, price: offered } = await administration.call('getManagedModel', { params });
  assert.deepEqual([state, offered.base_millicredits], ['offered', 2_500]);
});

test('a sample stays with a version that makes the same, and goes where another image would be made', async () => {
  const params = { id: 'harbour' };
  const sampled = await administration.call('getModelVersion', { params: { ...params, version: '3' } });
  const sampleOf = ({ thumbnail, sample_seconds: seconds }: typeof sampled) => [thumbnail, seconds];
  assert.notDeepEqual(sampleOf(sampled), [null, null]);
  const offered = await administration.call('getModelVersion', { params: { ...params, version: '4' } });
  assert.deepEqual(sampleOf(offered), sampleOf(sampled), 'another price');
  const edit = async (from: RegExp, to: string) => {
    const source = offered.source.replace(from, to);
    assert.notEqual(source, offered.source);
    const { version } = await administration.call('editModel', { params, body: { base_version: 4, source } });
    return administration.call('getModelVersion', { params: { ...params, version: String(version) } });
  };
  const renamed = await edit(/^name: .*$/m, 'name: Boats');
  assert.deepEqual(sampleOf(renamed), sampleOf(sampled), 'another name');
  assert.equal(
    (await administration.call('getModelSample', { params: { ...params, version: String(renamed.version) } }))
      .state,
    'succeeded',
  );
  const other = await edit(/max_per_job: \d+/, 'max_per_job: 2');
  assert.deepEqual(sampleOf(other), [null, null], 'another route');
});

test('inputs that belong together are set in one act, or none of them is', async () => {
  const imported = await importGraph('Pair.json');
  const targetOf = (wanted: string) =>
    imported.parameters.find(({ source }) => source === wanted)?.target ?? '';
  const params = { id: 'pair' };
  const moved = [
    { target: targetOf('prompt'), source: 'styles' },
    { target: '7.text', source: 'prompt' },
    { target: targetOf('width'), source: 'height' },
    { target: targetOf('height'), source: 'width' },
  ];
  const half = await administration.call('bindParameters', { params, body: { bindings: moved.slice(0, 1) } });
  assert.deepEqual([half.version, half.problems.map(({ code }) => code)], [null, ['binding_missing']]);
  const wrong = [...moved, { target: 'none.text', source: 'prompt' }];
  assert.equal(
    (await administration.call('bindParameters', { params, body: { bindings: wrong } })).version,
    null,
  );
  const twice = [...moved, { target: '7.text', source: 'styles' }];
  assert.match(
    (await administration.call('bindParameters', { params, body: { bindings: twice } })).problems[0]
      ?.message ?? '',
    /is set twice/,
  );
  assert.equal((await administration.call('getManagedModel', { params })).versions.length, 1);
  const whole = await administration.call('bindParameters', { params, body: { bindings: moved } });
  assert.deepEqual([whole.version, whole.problems], [2, []]);
  const nodesOf = (wanted: string) =>
    whole.parameters.flatMap(({ node, source }) => (source === wanted ? [node] : []));
  assert.deepEqual(['prompt', 'styles', 'width', 'height'].map(nodesOf), [['7'], ['6'], ['5'], ['5']]);
});

test('a guess stays one until it is confirmed, whoever looks and whatever else is changed', async () => {
  await importGraph('Poster.json', poster);
  const params = { id: 'poster' };
  const guessIn = async (version: number) => {
    const { parameters } = await administration.call('getModelVersion', {
      params: { ...params, version: String(version) },
    });
    return parameters.find(({ source }) => source === 'prompt');
  };
  const guess = await guessIn(1);
  assert.deepEqual([guess?.sure, guess?.confirmed], ['guess', false]);
  const { source } = await administration.call('getModelVersion', { params: { ...params, version: '1' } });
  const renamed = await administration.call('editModel', {
    params,
    body: { base_version: 1, source: source.replace(/^name: .*$/m, 'name: A poster') },
  });
  assert.equal(renamed.version, null, 'what is wrong with it is not taken by hand either');

  const check = await administration.call('checkModelVersion', { params: { ...params, version: '1' } });
  assert.ok(check.problems.length > 0);
  const refusal = await administration.ask('publishModel', { params, body: {} });
  assert.equal(refusal.status, 400);
  assert.deepEqual(
    (refusal.body as { errors: { message: string }[] }).errors.map(({ message }) => message),
    check.problems.map(({ message }) => message),
  );

  const bindings = [{ target: guess?.target, source: 'prompt' }];
  const { version } = await administration.call('bindParameters', { params, body: { bindings } });
  assert.equal(version, 2);
  const confirmed = await guessIn(2);
  assert.deepEqual([confirmed?.sure, confirmed?.confirmed], ['guess', true]);
  assert.deepEqual(await guessIn(1), guess);
  const good = await administration.call('checkModelVersion', { params: { ...params, version: '2' } });
  assert.deepEqual([good.problems, good.lacking], [[], []]);
});

test('what a machine lacks for now is told, and does not keep a model from being offered', async () => {
  const lacking = { ...graph, '4': { ...graph['4'], inputs: { ckpt_name: 'elsewhere.safetensors' } } };
  await importGraph('Elsewhere.json', lacking);
  const params = { id: 'elsewhere', version: '1' };
  const check = await administration.call('checkModelVersion', { params });
  assert.deepEqual(check.problems, []);
  assert.match(check.lacking.join(' '), /gpu1.*elsewhere\.safetensors/);
  const offered = await administration.call('publishModel', { params: { id: 'elsewhere' }, body: {} });
  assert.equal(offered.version, 1);
  assert.deepEqual(offered.warnings, check.lacking);
});

test('what cannot be a model is answered with all that is known of it', async () => {
  const lame = { ...graph, '9': { class_type: 'NoSuchNode', inputs: {} } };
  const unknown = await importGraph('lame.json', lame);
  assert.ok(unknown.problems.length > 0 && unknown.problems.every(({ message }) => message !== ''));
  const text = await administration.call('importModel', {
    query: { file_name: 'a.txt', on: 'gpu1' },
    file: 'no workflow',
  });
  assert.deepEqual([text.version, text.problems.map(({ code }) => code)], [null, ['not_a_workflow']]);
  const nowhere = await importGraph('harbour.json', graph, { on: 'gpu9' });
  assert.deepEqual(
    nowhere.problems.map(({ code }) => code),
    ['unknown_backend'],
  );
  const params = { id: 'harbour' };
  const broken = await administration.call('editModel', {
    params,
    body: { base_version: 1, source: 'manifest: 1\nid: [' },
  });
  assert.deepEqual([broken.version, broken.problems[0]?.code], [null, 'invalid_yaml']);
  const { source } = await administration.call('getModelVersion', { params: { ...params, version: '1' } });
  const other = source.replace(/^id: .*$/m, 'id: other');
  assert.match(
    (await administration.call('editModel', { params, body: { base_version: 1, source: other } })).problems[0]
      ?.message ?? '',
    /must stay harbour/,
  );
  assert.equal(
    (
      await administration.call('bindParameters', {
        params,
        body: { bindings: [{ target: 'none.text', source: 'prompt' }] },
      })
    ).version,
    null,
  );
  await administration.refused('editModel', { params, body: { base_version: 99, source } }, 404, 'not_found');
  await administration.refused(
    'bindParameters',
    { params: { id: 'none' }, body: { bindings: [{ target: 'a.b', source: 'prompt' }] } },
    404,
    'not_found',
  );
  await administration.refused('getModelSample', { params: { ...params, version: '1' } }, 404, 'not_found');
});

test('a manifest that runs commands is sampled and offered with a fresh sign-in alone', async () => {
  const manifest = `manifest: 1
id: shell
name: Shell
suites: [image]
batch_size: {Conjure: 1}
parameters:
  aspect_ratios: [{ratio: '1:1', width: 64, height: 64}]
price: {base_millicredits: 1000}
routes:
  - name: own
    engine: command
    on: [local]
    run: [/bin/true, '{out}', '{text}']
    set: {text: {from: prompt}}
    outputs: {kind: image, max_per_job: 1, files: '*.png'}
`;
  const file = { query: { file_name: 'shell.model.yaml' }, file: manifest, fresh: false };
  const { version, problems } = await administration.call('importModel', file);
  assert.deepEqual([version, problems], [1, []]);
  const params = { id: 'shell' };
  await administration.refused('sampleModel', { params, body: {}, fresh: false }, 403, 'sign_in_required');
  await administration.refused('publishModel', { params, body: {}, fresh: false }, 403, 'sign_in_required');
});

test('a file that is too large is refused before it is read, and a picture without a workflow says so', async () => {
  const { url } = studio;
  const response = await fetch(`${url}/api/administration/models?file_name=a.png&on=gpu1`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${administration.token}`,
      'content-type': 'application/octet-stream',
    },
    body: new Uint8Array(64 * 1024 * 1024 + 1),
  }).catch(() => undefined);
  // The connection may end before the whole body is sent.
  assert.ok(response === undefined || response.status === 413, String(response?.status));
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
  const { problems } = await administration.call('importModel', {
    query: { file_name: 'a.png', on: 'gpu1' },
    file: png,
  });
  assert.deepEqual(
    problems.map(({ code }) => code),
    ['no_workflow_in_file'],
  );
});

test('costs at providers stand by day beside what users paid', async () => {
  await studio.database.rows(
    `insert into provider_costs (day, backend, currency, spent, reserved, jobs)
     select (clock() at time zone 'UTC')::date - days, 'gpu1', 'USD', 0.5, 0.25, 3 from unnest(array[0, 2, 40]) as days`,
  );
  const { costs } = await administration.call('listProviderCosts', {});
  assert.equal(costs.length, 2, 'those of the last 30 days');
  assert.deepEqual(
    { ...costs[0], day: null },
    {
      day: null,
      backend: 'gpu1',
      currency: 'USD',
      spent: 0.5,
      reserved: 0.25,
      jobs: 3,
      credits: 0,
      credits_worth: 0,
    },
  );
  const { costs: today } = await administration.call('listProviderCosts', { query: { days: '1' } });
  assert.equal(today.length, 1);
  await administration.refused('listProviderCosts', { query: { days: '0' } }, 400, 'invalid_request');
});

const webui = `manifest: 1
id: webui
name: Web interface
suites: [image]
batch_size: { Conjure: 1 }
parameters:
  aspect_ratios: [{ ratio: '1:1', width: 64, height: 64 }]
  options:
    - { key: checkpoint, name: Checkpoint, type: select, values: [{ value: base, label: A }, { value: gone.safetensors, label: B }], default: base }
price: { base_millicredits: 2500 }
routes:
  - name: own
    engine: a1111
    on: [webui]
    call: txt2img
    body: { steps: 20, sampler_name: Euler a Karras }
    set:
      /prompt: { text: '{prompt}' }
      /override_settings/sd_model_checkpoint: { from: options.checkpoint }
    outputs: { at: /images/*, kind: image, max_per_job: 1 }
    on_unknown: retry
`;

test('a checkpoint that only some requests name and A1111 lacks is told, and keeps nothing from being offered', async () => {
  await using server = await new A1111Counterpart().start();
  await administration.call('addBackend', {
    body: { name: 'webui', engine: 'a1111', url: server.url },
  });
  const imported = await administration.call('importModel', {
    query: { file_name: 'webui.model.yaml' },
    file: webui,
  });
  assert.deepEqual([imported.version, imported.problems], [1, []]);
  const check = await administration.call('checkModelVersion', { params: { id: 'webui', version: '1' } });
  assert.deepEqual([check.problems, check.lacking], [[], []]);
  assert.match((check.warnings ?? []).join(' '), /gone\.safetensors.*webui lacks/);
  const offered = await administration.call('publishModel', { params: { id: 'webui' }, body: {} });
  assert.deepEqual([offered.version, offered.warnings], [1, check.warnings]);
});
