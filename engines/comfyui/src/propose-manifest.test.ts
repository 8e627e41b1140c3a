import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { coreClasses } from './testing/core-classes.ts';
import { aspectRatios } from './aspect-ratios.ts';
import { type Detection, detectParameters } from './detect-parameters.ts';
import { linkOf } from './graph.ts';
import { importWorkflow } from './import-workflow.ts';
import { isObject, readJson } from './json.ts';
import { findInput, numberOption } from './object-info.ts';
import { type ManifestProposal, proposeManifest } from './propose-manifest.ts';

const shapes = path.resolve(import.meta.dirname, '../fixtures/shapes');
const names = readdirSync(shapes)
  .filter((file) => file.endsWith('.api.json'))
  .map((file) => file.replace('.api.json', ''));

function propose(shape: string, workflow?: unknown): { detection: Detection; proposal: ManifestProposal } {
  return proposeGraph(readFileSync(path.join(shapes, `${shape}.api.json`), 'utf8'), workflow);
}

function proposeGraph(
  text: string,
  workflow?: unknown,
): { detection: Detection; proposal: ManifestProposal } {
  const prompt = readJson(text);
  const ui = readJson(JSON.stringify(workflow ?? null));
  assert.ok(isObject(prompt));
  const file = { prompt, workflow: isObject(ui) ? ui : undefined };
  const detection = detectParameters(importWorkflow(file, coreClasses), coreClasses);
  const options = { id: 'test', name: 'Test', on: ['gpu1'], workflow: './test.workflow.json' };
  return { detection, proposal: proposeManifest(detection, coreClasses, options) };
}

interface Route {
  readonly nodes: Readonly<Record<string, { id: string; class: string }>>;
  readonly set: Readonly<Record<string, { from?: string; text?: string; map?: Record<string, unknown> }>>;
  readonly outputs: { from: string[]; kind: string; max_per_job: number };
  readonly requires: { models: { input: string; folder: string }[] };
  readonly size?: { multiple_of: number; max_pixels: number };
}
type Range = { min: number; max: number; default: number };
interface Parameters {
  readonly cfg?: Range;
  readonly weight?: Range;
  readonly sampler?: string;
  readonly max_reference_images?: number;
  readonly durations?: { value: string }[];
  readonly frames?: unknown;
  readonly video_sizes?: Record<string, { width: number; height: number }>;
  readonly aspect_ratios?: { ratio: string; width: number; height: number }[];
  readonly options: { key: string; type: string; default: unknown }[];
}
const routeOf = ({ manifest }: ManifestProposal): Route => (manifest['routes'] as unknown as Route[])[0]!;
const parametersOf = ({ manifest }: ManifestProposal): Parameters =>
  manifest['parameters'] as unknown as Parameters;

test('the manifest of a plain graph is the one that a person would write', () => {
  const { proposal } = propose('sdxl');
  const route = routeOf(proposal);
  assert.deepEqual(route.set, {
    'positive.text': { text: '{prompt}, {styles}' },
    'sampler.seed': { from: 'seed' },
    'sampler.sampler_name': { from: 'sampler', map: { dpmpp_2m_karras: 'dpmpp_2m' } },
    'sampler.scheduler': { from: 'sampler', map: { dpmpp_2m_karras: 'karras' } },
    'sampler.cfg': { from: 'cfg' },
    'latent.width': { from: 'width' },
    'latent.height': { from: 'height' },
    'latent.batch_size': { from: 'outputs' },
    'save.filename_prefix': { from: 'job.prefix' },
  });
  assert.deepEqual(proposal.guesses, { 'lora.strength_model': { from: 'weight' } });
  assert.deepEqual(route.nodes['positive'], { id: '6', class: 'CLIPTextEncode' });
  assert.deepEqual(route.outputs, { from: ['save'], kind: 'image', max_per_job: 4 });
  assert.deepEqual(route.requires.models, [
    { input: 'checkpoint.ckpt_name', folder: 'checkpoints' },
    { input: 'lora.lora_name', folder: 'loras' },
  ]);
  const parameters = parametersOf(proposal);
  assert.deepEqual(parameters.cfg, { min: 1, max: 15, step: 0.5, default: 6.5 });
  assert.equal(parameters.sampler, 'dpmpp_2m_karras');
  assert.deepEqual(parameters.aspect_ratios?.slice(0, 2), [
    { ratio: '1:1', width: 1024, height: 1024 },
    { ratio: '16:9', width: 1368, height: 768 },
  ]);
  assert.deepEqual(
    parameters.options.map(({ key }) => key),
    ['seed'],
  );
  assert.deepEqual(
    proposal.parameters.find(({ target }) => target === 'positive.text'),
    {
      target: 'positive.text',
      node: '6',
      source: 'prompt',
      sources: ['prompt', 'styles'],
      sure: 'sure',
      reason: 'from KSampler 3, positive',
    },
  );
});

for (const shape of names) {
  test(`what is bound for ${shape} can be bound, and what is offered is bound`, () => {
    const { detection, proposal } = propose(shape);
    const { nodes, set, outputs, requires } = routeOf(proposal);
    const parameters = parametersOf(proposal);
    for (const [target, binding] of Object.entries(set)) {
      const [name = '', input = ''] = target.split('.');
      const node = detection.graph.get(nodes[name]?.id ?? '');
      assert.ok(node, `${target}: there is such a node`);
      const value = node.inputs.get(input);
      assert.ok(value !== undefined && linkOf(value) === undefined, `${target}: it is there and no link`);
      const spec = findInput(coreClasses.get(node.classType)!, input);
      const range =
        binding.from === 'cfg' ? parameters.cfg : binding.from === 'weight' ? parameters.weight : undefined;
      if (binding.from === 'cfg') assert.ok(range, `${target}: a range is offered`);
      if (range !== undefined && spec !== undefined) {
        assert.ok(range.min >= (numberOption(spec, 'min') ?? range.min), target);
        assert.ok(range.max <= (numberOption(spec, 'max') ?? range.max), target);
        assert.ok(range.default >= range.min && range.default <= range.max, target);
      }
      if (binding.from === 'sampler') assert.deepEqual(Object.keys(binding.map ?? {}), [parameters.sampler]);
    }
    const sources = Object.values(set).map(({ from }) => from);
    assert.equal(parameters.cfg !== undefined, sources.includes('cfg'));
    assert.equal(parameters.weight !== undefined, sources.includes('weight'));
    assert.equal((parameters.max_reference_images ?? 0) > 0, sources.includes('references'));
    assert.equal(
      parameters.options.some(({ key }) => key === 'seed'),
      sources.includes('seed'),
    );
    assert.ok(outputs.from.every((name) => nodes[name] !== undefined));
    assert.ok(requires.models.length > 0 && requires.models.every(({ folder }) => folder !== ''));
    assert.doesNotThrow(() => JSON.stringify(proposal));
  });
}

test('a video has sizes, whole seconds up to the author\u2019s length, and the frames that it needs', () => {
  const { proposal } = propose('wan-first-last');
  const { video_sizes, durations, frames } = parametersOf(proposal);
  assert.deepEqual(video_sizes?.['16:9'], { width: 832, height: 480 });
  assert.deepEqual(video_sizes?.['9:16'], { width: 480, height: 832 });
  assert.deepEqual(
    durations?.map(({ value }) => value),
    ['1', '2', '3', '4', '5'],
  );
  assert.deepEqual(frames, { start: true, start_required: true, end: true, end_required: true });
  assert.deepEqual(routeOf(proposal).set['motion.length'], {
    from: 'duration_seconds',
    frames: { fps: 16, step: 4, plus: 1 },
  });
  assert.deepEqual(routeOf(propose('ltx-image-to-video').proposal).set['motion.length'], {
    from: 'duration_seconds',
    frames: { fps: 25, step: 8, plus: 1 },
  });
});

/** Returns a graph that makes a video from one image: it scales the image and may process it further. */
function slides(size: object, more: Record<string, object> = {}, images: unknown = ['2', 0]): string {
  return JSON.stringify({
    '1': { class_type: 'LoadImage', inputs: { image: 'a.png' } },
    '2': {
      class_type: 'ImageScale',
      inputs: { image: ['1', 0], upscale_method: 'lanczos', crop: 'center', ...size },
    },
    ...more,
    '3': { class_type: 'RepeatImageBatch', inputs: { image: images, amount: 25 } },
    '4': { class_type: 'CreateVideo', inputs: { images: ['3', 0], fps: 12 } },
    '5': {
      class_type: 'SaveVideo',
      inputs: { video: ['4', 0], filename_prefix: 'x', format: 'auto', codec: 'auto' },
    },
  });
}

test('a video of an image that the graph scales has the size of the scaling, and sets it', () => {
  const { proposal } = proposeGraph(slides({ width: 640, height: 360 }));
  const { video_sizes: sizes } = parametersOf(proposal);
  assert.deepEqual(sizes?.['16:9'], { width: 640, height: 360 });
  assert.deepEqual(sizes?.['9:16'], { width: 360, height: 640 });
  const { set, size } = routeOf(proposal);
  assert.deepEqual([set['motion.width'], set['motion.height']], [{ from: 'width' }, { from: 'height' }]);
  assert.equal(size?.max_pixels, 640 * 360);
});

test('of two scalings the last is the size of the video, and none is where a side follows the image', () => {
  const first = { image: ['2', 0], upscale_method: 'lanczos', crop: 'center', width: 512, height: 512 };
  const twice = { '6': { class_type: 'ImageScale', inputs: first } };
  const { proposal } = proposeGraph(slides({ width: 640, height: 360 }, twice, ['6', 0]));
  assert.deepEqual(parametersOf(proposal).video_sizes?.['1:1'], { width: 512, height: 512 });
  const free = proposeGraph(slides({ width: 640, height: 0 }));
  assert.equal(free.detection.sizeNode, undefined);
  const pixels = { image: ['2', 0], upscale_method: 'lanczos', megapixels: 1 };
  const after = { '6': { class_type: 'ImageScaleToTotalPixels', inputs: pixels } };
  assert.equal(
    proposeGraph(slides({ width: 640, height: 360 }, after, ['6', 0])).detection.sizeNode,
    undefined,
  );
});

test('an edit works at the size of its image, and a mask is white where none is sent', () => {
  const { proposal } = propose('flux-fill');
  const { set, size } = routeOf(proposal);
  assert.deepEqual(set['source.image'], { from: 'image', picture: {} });
  assert.deepEqual(set['mask.image'], { from: 'mask', default: 'white', picture: { mask: 'white_changes' } });
  assert.equal(size?.multiple_of, 16);
  assert.equal(proposal.manifest['inpaint'], true);
});

test('marked inputs without a role become options of their own type', () => {
  const inputs = [
    [6, 'text'],
    [3, 'steps', { name: 'Quality' }],
    [3, 'scheduler'],
    [7, 'text', { name: 'Leave out' }],
    [10, 'strength_clip'],
  ];
  const { proposal } = propose('sdxl', { nodes: [], links: [], extra: { linearData: { inputs } } });
  const { options } = parametersOf(proposal);
  assert.deepEqual(
    options.map(({ key, type, default: value }) => [key, type, value]),
    [
      ['seed', 'slider', -1],
      ['quality', 'slider', 30],
      ['scheduler', 'select', 'karras'],
      ['leave_out', 'text', 'blur'],
      ['strength_clip', 'slider', 1],
    ],
  );
  const { set } = routeOf(proposal);
  assert.deepEqual(set['sampler.steps'], { from: 'options.quality', as: 'int' });
  assert.deepEqual(set['negative.text'], { from: 'options.leave_out' });
  assert.equal(set['sampler.cfg'], undefined);
});

test('ratios keep the number of pixels and the multiples that the input asks for', () => {
  const sizes = aspectRatios({ width: 832, height: 1216 }, { multipleOf: 32, min: 64, max: 4096 }, 'image');
  assert.equal(sizes[0]?.ratio, '2:3');
  for (const { width, height } of sizes) {
    assert.equal((width % 32) + (height % 32), 0);
    assert.ok(Math.abs((width * height) / (832 * 1216) - 1) < 0.08);
  }
});
