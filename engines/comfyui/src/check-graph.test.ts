import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { coreClasses } from './testing/core-classes.ts';
import { checkGraph, type CheckOptions, type GraphCheck } from './check-graph.ts';
import { readGraph } from './graph.ts';
import { isObject, readJson } from './json.ts';
import { readObjectInfo } from './object-info.ts';

const folder = path.resolve(import.meta.dirname, '../fixtures/conversions');

type Changes = Readonly<Record<string, Readonly<Record<string, unknown>> | { class_type: string } | null>>;

/** Checks the plain fixture with some inputs changed, some nodes replaced, and some removed. */
function check(changes: Changes, options: Partial<CheckOptions> = {}): GraphCheck {
  const graph = JSON.parse(readFileSync(path.join(folder, 'plain.api.json'), 'utf8')) as Record<
    string,
    { inputs: Record<string, unknown> } | undefined
  >;
  for (const [id, change] of Object.entries(changes)) {
    if (change === null) delete graph[id];
    else if ('class_type' in change) graph[id] = { inputs: {}, ...change };
    else graph[id] = { ...graph[id], inputs: { ...graph[id]?.inputs, ...change } };
  }
  return checkText(JSON.stringify(graph), options);
}

function checkText(text: string, options: Partial<CheckOptions> = {}, classes = coreClasses): GraphCheck {
  const file = readJson(text);
  assert.ok(isObject(file));
  return checkGraph(readGraph(file).graph, classes, { backend: 'gpu1', ...options });
}

function expectOne(
  found: GraphCheck,
  code: string,
  words: RegExp,
  place: { node: string; input?: string },
): void {
  assert.deepEqual(
    found.problems.map((one) => ({ code: one.code, node: one.node, input: one.input })),
    [{ code, node: place.node, input: place.input }],
  );
  assert.match(found.problems[0]?.message ?? '', words);
}

test('a graph that fits has neither problems nor warnings', () => {
  assert.deepEqual(check({}), { problems: [], warnings: [] });
});

test('a missing class is named with the pack that has it', () => {
  const packs = new Map([['VHS_Magic', 'comfyui-videohelpersuite 1.6.1']]);
  const found = check({ 9: { class_type: 'VHS_Magic' } }, { packs });
  expectOne(
    found,
    'node_missing',
    /^gpu1 has no node VHS_Magic\. It is in comfyui-videohelpersuite 1\.6\.1\.$/,
    { node: '9' },
  );
});

test('a missing input, a lost link, a slot that is not there and another type are named with both ends', () => {
  expectOne(check({ 8: { vae: undefined } }), 'input_missing', /VAEDecode 8 needs "vae"/, {
    node: '8',
    input: 'vae',
  });
  expectOne(check({ 8: { vae: ['99', 0] } }), 'input_missing', /node 99, which is not/, {
    node: '8',
    input: 'vae',
  });
  expectOne(check({ 8: { vae: ['4', 7] } }), 'type_mismatch', /output 7 of CheckpointLoaderSimple 4/, {
    node: '8',
    input: 'vae',
  });
  const mixed = check({ 8: { samples: ['6', 0] } });
  expectOne(mixed, 'type_mismatch', /wants LATENT, and CLIPTextEncode 6 "Positive" gives CONDITIONING/, {
    node: '8',
    input: 'samples',
  });
});

test('a circle is named node by node', () => {
  const found = check({
    5: { class_type: 'VAEEncode', inputs: { pixels: ['8', 0], vae: ['4', 2] } },
  });
  expectOne(found, 'cycle', /circle: 3 → 8 → 5 → 3|circle: 5 → 3 → 8 → 5|circle: 8 → 5 → 3 → 8/, {
    node: found.problems[0]?.node ?? '',
  });
});

test('numbers are held to their range; text that is a number counts, other text does not', () => {
  expectOne(check({ 3: { cfg: 101 } }), 'out_of_range', /"cfg" is 101; it can be 0 to 100/, {
    node: '3',
    input: 'cfg',
  });
  expectOne(check({ 3: { steps: 'many' } }), 'type_mismatch', /wants a number, and has "many"/, {
    node: '3',
    input: 'steps',
  });
  assert.deepEqual(check({ 3: { steps: '20' } }).problems, []);
});

test('a missing file is named with its folder, the nearest one and where to get it', () => {
  const downloads = new Map([['sd_xl_base_1.1.safetensors', 'https://example.com/x']]);
  const found = check({ 4: { ckpt_name: 'sd_xl_base_1.1.safetensors' } }, { downloads });
  expectOne(
    found,
    'file_missing',
    /^gpu1 lacks sd_xl_base_1\.1\.safetensors in checkpoints\. Nearest: sd_xl_base_1\.0\.safetensors\. Download it from https:\/\/example\.com\/x$/,
    { node: '4', input: 'ckpt_name' },
  );
});

test('choices are met in another case, with other slashes, and by a file name that only one has', () => {
  for (const ckpt_name of [
    'SD15/V1-5.ckpt',
    'sd15/v1-5.ckpt',
    'v1-5.ckpt',
    'other/SD_XL_base_1.0.safetensors',
  ])
    assert.deepEqual(check({ 4: { ckpt_name } }).problems, [], ckpt_name);
  expectOne(
    check({ 3: { sampler_name: 'dpmpp_3m' } }),
    'choice_unknown',
    /does not offer "dpmpp_3m"\. Nearest: dpmpp_2m/,
    { node: '3', input: 'sampler_name' },
  );
});

test('the file of an upload is not looked for: ours will be there', () => {
  const loader = { class_type: 'LoadImage', inputs: { image: 'nobody-has-this.png' } };
  assert.deepEqual(check({ 1: loader, 9: { images: ['1', 0] } }).problems, []);
});

test('a graph without a result, and a paid class that nobody allowed, are problems', () => {
  const silent = check({ 9: null });
  assert.deepEqual(
    silent.problems.map(({ code }) => code),
    ['no_output'],
  );
  const paid: Changes = {
    1: { class_type: 'PaidImage', inputs: { prompt: 'x' } },
    9: { images: ['1', 0] },
  };
  expectOne(check(paid), 'paid_node', /Allow it by name/, { node: '1' });
  assert.deepEqual(check(paid, { allowedPaidNodes: new Set(['PaidImage']) }).problems, []);
});

test('old classes and inputs that the class does not know are warnings', () => {
  const old: Changes = {
    1: { class_type: 'OldBlur', inputs: { image: ['8', 0], radius: 2, colour: 1 } },
    9: { images: ['1', 0] },
  };
  const { problems, warnings } = check(old);
  assert.deepEqual(problems, []);
  assert.equal(warnings.length, 2);
});

test('inputs that grow and inputs of a chosen option are held to their own types', () => {
  const text = readFileSync(path.join(folder, 'autogrow.api.json'), 'utf8');
  assert.deepEqual(checkText(text), { problems: [], warnings: [] });
  assert.equal(
    checkText(text.replaceAll('"images.image1": ["8", 0]', '"images.image1": ["3", 0]')).problems[0]?.code,
    'type_mismatch',
  );
  const none = checkText(text.replaceAll(/, "images\.image\d": \["8", 0\]/g, ''));
  assert.deepEqual(
    none.problems.map(({ code, input }) => [code, input]),
    [['input_missing', 'images']],
  );
  const chosen = readFileSync(path.join(folder, 'dynamic-combo.api.json'), 'utf8');
  assert.deepEqual(checkText(chosen), { problems: [], warnings: [] });
  assert.equal(
    checkText(chosen.replace('"mode.width": 640', '"mode.width": 9999')).problems[0]?.code,
    'out_of_range',
  );
});

const recorded = process.env['RECORDED_ANSWERS'] ?? '';
const skip = recorded === '' ? 'RECORDED_ANSWERS names no recorded answers' : false;

test('the check says what a real ComfyUI said of the same graphs', { skip }, (context) => {
  const file = path.join(recorded, 'comfyui/object_info.full.json');
  if (!existsSync(file)) return context.skip('there is no recorded object_info');
  const answer = readJson(readFileSync(file, 'utf8'));
  assert.ok(isObject(answer));
  const classes = readObjectInfo(answer.get('json') ?? answer.get('body') ?? answer);
  const codes = (graph: unknown) =>
    checkText(JSON.stringify(graph), {}, classes)
      .problems.map(({ code, node, input }) => `${code} ${node}.${input}`)
      .sort();
  const image = {
    class_type: 'EmptyImage',
    inputs: { width: 64, height: 64, batch_size: 1, color: 0 },
  };
  const save = { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'x' } };
  assert.deepEqual(codes({ 1: image, 3: save }), []);
  // The graph of err_out_of_range_and_bad_enum: the server found these four.
  const scaled = {
    class_type: 'ImageScale',
    inputs: { image: ['1', 0], upscale_method: 'magic', width: 8, height: 8, crop: 'disabled' },
  };
  const wrong = { ...image, inputs: { ...image.inputs, width: 0, height: 99999, color: 'red' } };
  assert.deepEqual(
    codes({ 1: wrong, 2: scaled, 3: { ...save, inputs: { ...save.inputs, images: ['2', 0] } } }),
    [
      'choice_unknown 2.upscale_method',
      'out_of_range 1.height',
      'out_of_range 1.width',
      'type_mismatch 1.color',
    ],
  );
  const latent = {
    class_type: 'EmptyLatentImage',
    inputs: { width: 64, height: 64, batch_size: 1 },
  };
  assert.deepEqual(codes({ 1: latent, 2: save }), ['type_mismatch 2.images']);
});
