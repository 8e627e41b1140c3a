import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { coreClasses } from './testing/core-classes.ts';
import { checkGraph } from './check-graph.ts';
import { type Detection, detectParameters } from './detect-parameters.ts';
import { importWorkflow } from './import-workflow.ts';
import { isObject, readJson } from './json.ts';

const engine = path.resolve(import.meta.dirname, '..');
const shapes = path.join(engine, 'fixtures/shapes');

interface Expected {
  readonly suite: string;
  readonly inpaint: boolean;
  readonly roles: Readonly<Record<string, readonly string[]>>;
}
const readExpected = (folder: string) =>
  JSON.parse(readFileSync(path.join(folder, 'roles.json'), 'utf8')) as Record<string, Expected>;
const expected = readExpected(shapes);
const conversions = path.join(engine, 'fixtures/conversions');
const converted = readExpected(conversions);

type Node = { class_type: string; inputs: Record<string, unknown>; _meta?: { title: string } };
type Graph = Record<string, Node>;

const graphOf = (shape: string): Graph =>
  JSON.parse(readFileSync(path.join(shapes, `${shape}.api.json`), 'utf8')) as Graph;

function detect(prompt: unknown, workflow?: unknown): Detection {
  const read = (value: unknown) => {
    const json = value === undefined ? undefined : readJson(JSON.stringify(value));
    return isObject(json) ? json : undefined;
  };
  const imported = importWorkflow({ prompt: read(prompt), workflow: read(workflow) }, coreClasses);
  return detectParameters(imported, coreClasses);
}

/** Returns findings that are more than a guess, as `prompt 6.text`. */
const offered = ({ findings }: Detection): string[] =>
  findings.filter(({ sure }) => sure !== 'guess').map(({ role, node, input }) => `${role} ${node}.${input}`);

const wanted = (one: Expected | undefined): string[] =>
  Object.entries(one?.roles ?? {}).flatMap(([role, targets]) => targets.map((target) => `${role} ${target}`));

const detectConverted = (name: string): Detection =>
  detect(undefined, JSON.parse(readFileSync(path.join(conversions, `${name}.ui.json`), 'utf8')));

const measured = [
  ...Object.entries(expected).map(
    ([name, one]) => [`the graph of ${name}`, one, () => detect(graphOf(name))] as const,
  ),
  ...Object.entries(converted).map(
    ([name, one]) => [`what is converted from ${name}`, one, () => detectConverted(name)] as const,
  ),
];

for (const [what, one, detectIn] of measured) {
  test(`what is found in ${what} is what it is for, and the rest can be run`, () => {
    const detection = detectIn();
    const all = detection.findings.map(({ role, node, input }) => `${role} ${node}.${input}`);
    assert.deepEqual(all.toSorted(), wanted(one).toSorted());
    assert.equal(detection.suite, one.suite);
    assert.equal(detection.inpaint, one.inpaint);
    assert.ok(detection.findings.every(({ reason }) => reason !== ''));
    assert.deepEqual(checkGraph(detection.graph, coreClasses, { backend: 'gpu1' }).problems, []);
  });
}

test('every graph of the folders is expected to be something', () => {
  const namesIn = (folder: string) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.api.json'))
      .map((name) => name.replace('.api.json', ''))
      .toSorted();
  assert.deepEqual(namesIn(shapes), Object.keys(expected).toSorted());
  assert.deepEqual(namesIn(conversions), Object.keys(converted).toSorted());
});

/** Returns the numbers of right, only proposed, wrong and missed findings. */
function countsOf(detection: Detection, one: Expected): string {
  const found = offered(detection);
  const guessed = detection.findings.length - found.length;
  const right = found.filter((finding) => wanted(one).includes(finding)).length;
  const wrong = found.length - right;
  return `${right} | ${guessed} | ${wrong} | ${wanted(one).length - right - guessed}`;
}

test('the tables in the README say how much is found', () => {
  const tableOf = (head: string, rows: readonly string[]) =>
    [`| ${head} | right | only proposed | wrong | missed |`, '|---|---|---|---|---|', ...rows].join('\n');
  const tables = [
    tableOf(
      'graph',
      Object.entries(expected).map(([name, one]) => `| ${name} | ${countsOf(detect(graphOf(name)), one)} |`),
    ),
    tableOf(
      'workflow',
      Object.entries(converted).map(([name, one]) => `| ${name} | ${countsOf(detectConverted(name), one)} |`),
    ),
  ];
  const readme = readFileSync(path.join(engine, 'README.md'), 'utf8');
  for (const table of tables) assert.ok(readme.includes(table), table);
});

test('without a sampler a loaded image begins the video, and how often it is repeated is its length', () => {
  const stills: Graph = {
    '1': { class_type: 'LoadImage', inputs: { image: 'a.png' } },
    '2': { class_type: 'RepeatImageBatch', inputs: { image: ['1', 0], amount: 25 } },
    '3': { class_type: 'CreateVideo', inputs: { images: ['2', 0], fps: 12 } },
    '4': {
      class_type: 'SaveVideo',
      inputs: { video: ['3', 0], filename_prefix: 'x', format: 'auto', codec: 'auto' },
    },
  };
  const detection = detect(stills);
  assert.equal(detection.suite, 'video');
  assert.deepEqual(offered(detection).toSorted(), [
    'duration_seconds 2.amount',
    'fps 3.fps',
    'start_image 1.image',
  ]);
});

test('a second pass over what the first one made has no strength that users give', () => {
  const graph = graphOf('sdxl');
  const again = { ...graph['3']!.inputs, latent_image: ['20', 0], denoise: 0.5 };
  const detection = detect({
    ...graph,
    '20': { class_type: 'VAEEncode', inputs: { pixels: ['8', 0], vae: ['4', 2] } },
    '21': { class_type: 'KSampler', inputs: again },
    '22': { class_type: 'VAEDecode', inputs: { samples: ['21', 0], vae: ['4', 2] } },
    '9': { class_type: 'SaveImage', inputs: { images: ['22', 0], filename_prefix: 'x' } },
  });
  assert.equal(detection.suite, 'image');
  assert.deepEqual(
    offered(detection).filter((one) => one.startsWith('strength')),
    [],
  );
});

test('an image that is sampled for a video is what it begins with, and none to edit', () => {
  const graph = graphOf('image-to-image');
  const { suite, findings } = detect({
    ...graph,
    '9': { class_type: 'CreateVideo', inputs: { images: ['8', 0], fps: 12 } },
    '30': {
      class_type: 'SaveVideo',
      inputs: { video: ['9', 0], filename_prefix: 'x', format: 'auto', codec: 'auto' },
    },
  });
  assert.equal(suite, 'video');
  assert.deepEqual(
    findings.filter(({ node }) => node === '17').map(({ role }) => role),
    ['start_image'],
  );
});

test('a negative prompt is never taken for the prompt, whatever it is called', () => {
  const graph = graphOf('sdxl');
  graph['7']!._meta = { title: 'Positive prompt' };
  assert.deepEqual(
    offered(detect(graph)).filter((one) => one.startsWith('prompt')),
    ['prompt 6.text'],
  );
});

test('a cfg of 1 turns the negative prompt off: there is none', () => {
  const graph = graphOf('sdxl');
  graph['3']!.inputs['cfg'] = 1;
  const roles = detect(graph).findings.map(({ role }) => role);
  assert.ok(!roles.includes('negative') && !roles.includes('cfg'));
});

test('a preview that is the only result saves it, others are cut off, and audio is refused', () => {
  const preview = detect(graphOf('sd3'));
  assert.equal(preview.graph.get('9')?.classType, 'SaveImage');
  assert.equal(detect(graphOf('joined-texts')).graph.has('31'), false);
  const audio = {
    1: { class_type: 'LoadAudio', inputs: { audio: 'a.flac' } },
    2: { class_type: 'SaveAudio', inputs: { audio: ['1', 0], filename_prefix: 'x' } },
  };
  assert.match(detect(audio).problems[0]?.message ?? '', /Only images and videos/);
});

test('a result that only the socket would bring is saved as a file', () => {
  const graph = graphOf('sdxl');
  graph['9'] = { class_type: 'SaveImageWebsocket', inputs: { images: graph['9']!.inputs['images'] } };
  const { graph: sent, problems } = detect(graph);
  assert.deepEqual(problems, []);
  assert.equal(sent.get('9')?.classType, 'SaveImage');
  assert.ok(sent.get('9')?.inputs.has('filename_prefix'));
});

test('of two saved images the last is the result, and a title decides otherwise', () => {
  const graph = graphOf('joined-texts');
  graph['31'] = { class_type: 'SaveImage', inputs: { images: ['30', 0], filename_prefix: 'first' } };
  const detection = detect(graph);
  assert.deepEqual(detection.outputs, ['9']);
  assert.match(detection.warnings[0]?.message ?? '', /the last of 2/);
  graph['31']._meta = { title: 'out:result' };
  assert.deepEqual(detect(graph).outputs, ['31']);
});

test('titles of the form in:role win over the walk', () => {
  const graph = graphOf('sdxl');
  graph['7']!._meta = { title: 'in:prompt' };
  graph['10']!._meta = { title: 'in:option Grain' };
  const { findings } = detect(graph);
  assert.deepEqual(
    findings.filter(({ role }) => role === 'prompt').map(({ node, sure }) => [node, sure]),
    [['7', 'sure']],
  );
  assert.deepEqual(findings.find(({ role }) => role === 'option')?.label, 'Grain');
});

test('App Mode says what is offered: the rest is only proposed', () => {
  const workflow = {
    nodes: [],
    links: [],
    extra: {
      linearMode: true,
      linearData: {
        inputs: [
          [6, 'text'],
          [3, 'steps', { name: 'Quality' }],
          [99, 'gone'],
        ],
        outputs: [9],
      },
    },
  };
  const { findings } = detect(graphOf('sdxl'), workflow);
  const of = (role: string) => findings.filter((one) => one.role === role);
  assert.deepEqual(
    of('prompt').map(({ sure, reason }) => [sure, reason]),
    [['sure', 'marked by App Mode']],
  );
  assert.deepEqual(
    of('option').map(({ input, label }) => [input, label]),
    [['steps', 'Quality']],
  );
  assert.equal(of('cfg')[0]?.sure, 'guess');
  assert.equal(of('seed')[0]?.sure, 'sure');
});

test('input nodes of other systems are replaced by their values, and mark what they fed', () => {
  const graph = graphOf('image-to-image');
  graph['60'] = {
    class_type: 'ComfyUIDeployExternalText',
    inputs: { input_id: 'words', display_name: 'Words', default_value: 'in oil' },
  };
  graph['6']!.inputs['text'] = ['60', 0];
  graph['17'] = {
    class_type: 'ComfyUIDeployExternalImage',
    inputs: { input_id: 'photo', display_name: 'Photo' },
  };
  graph['61'] = { class_type: 'SwarmInputFloat', inputs: { title: 'Change', value: 0.5, min: 0, max: 1 } };
  graph['3']!.inputs['denoise'] = ['61', 0];
  const detection = detect(graph);
  assert.deepEqual(
    [...detection.graph.values()]
      .map(({ classType }) => classType)
      .filter((name) => /Deploy|Swarm/.test(name)),
    [],
  );
  const labels = Object.fromEntries(
    detection.findings.filter(({ label }) => label !== undefined).map(({ role, label }) => [role, label]),
  );
  assert.deepEqual(labels, { prompt: 'Words', image: 'Photo', strength: 'Change' });
  assert.equal(detection.graph.get('3')?.inputs.get('denoise'), 0.5);
});

test('a choice in braces that nobody would draw is a warning, but not in the prompt', () => {
  const graph = graphOf('sdxl');
  graph['6']!.inputs['text'] = 'a {red|blue} lake';
  assert.deepEqual(detect(graph).warnings, []);
  graph['7']!.inputs['text'] = 'a {bad|worse} image';
  assert.match(detect(graph).warnings[0]?.message ?? '', /\{a\|b\}/);
});

test('where nothing is wired as known samplers are, titles say what a text is, and a lone text is proposed', () => {
  const lone: Graph = {
    1: { class_type: 'PaidImage', inputs: { prompt: 'a lake' } },
    2: { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'x' } },
  };
  const found = () => detect(lone).findings.map(({ role, node, sure }) => `${role} ${node} ${sure}`);
  assert.deepEqual(found(), ['prompt 1 guess']);
  lone['3'] = { class_type: 'PaidImage', inputs: { prompt: 'a hill' } };
  lone['4'] = { class_type: 'ImageBatch', inputs: { image1: ['1', 0], image2: ['3', 0] } };
  lone['2']!.inputs['images'] = ['4', 0];
  assert.deepEqual(found(), ['prompt 1 guess', 'prompt 3 guess'], 'of several texts each may be it');
  lone['1']!._meta = { title: 'Positive' };
  assert.deepEqual(found(), ['prompt 1 likely']);
});

test('where nothing is sampled, the node that makes the image says its size', () => {
  const graph: Graph = {
    1: { class_type: 'EmptyLatentImage', inputs: { width: 768, height: 512, batch_size: 1 } },
    2: { class_type: 'SaveImage', inputs: { images: ['3', 0], filename_prefix: 'x' } },
    3: { class_type: 'VAEDecode', inputs: { samples: ['1', 0], vae: ['4', 0] } },
    4: { class_type: 'VAELoader', inputs: { vae_name: 'ae.safetensors' } },
  };
  const found = detect(graph).findings.map(({ role, node, sure }) => `${role} ${node} ${sure}`);
  assert.deepEqual(found, ['width 1 likely', 'height 1 likely', 'outputs 1 sure']);
});

test('the colour of a mask is set to one that a grey image has', () => {
  assert.deepEqual(detect(graphOf('inpaint-fill')).constants, [
    { node: '18', input: 'channel', value: 'red' },
  ]);
});
