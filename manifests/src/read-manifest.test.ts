import assert from 'node:assert/strict';
import { test } from 'node:test';
import { priceOf } from '@renderkit/contract/studio/price.ts';
import { millicredits } from '@renderkit/contract/studio/schemas/schema-builders.ts';
import Schema from 'typebox/schema';
import { readManifest } from './read-manifest.ts';

const small = `manifest: 1
id: fog-lamp
name: Fog lamp
suites: [image]
batch_size: { Conjure: 1 }
parameters:
  aspect_ratios: [{ ratio: '1:1', width: 512, height: 512 }]
price: { base_millicredits: 1000 }
routes:
  - name: own
    engine: comfyui
    on: [gpu]
    workflow: ./fog-lamp.workflow.json
    nodes:
      text: { id: '6', class: CLIPTextEncode }
    set:
      text.text: { text: '{prompt}' }
    outputs: { from: [text], kind: image, max_per_job: 1 }
`;

/** Returns the small manifest with one text replaced. */
const changed = (from: string, to: string): string => {
  assert.ok(small.includes(from), from);
  return small.replace(from, to);
};

test('what is left out has its neutral value', () => {
  const { manifest } = readManifest(small);
  assert.ok(manifest !== undefined);
  assert.equal(manifest.kind, 'system');
  assert.equal(manifest.prompt_required, true);
  assert.deepEqual([manifest.tiers, manifest.refused_styles, manifest.default_for], [[], [], []]);
  assert.equal(manifest.parameters.cfg, null);
  assert.deepEqual(manifest.parameters.frames, {
    start: false,
    start_required: false,
    end: false,
    end_required: false,
  });
  assert.equal(manifest.routes[0]?.workflow, 'fog-lamp.workflow.json');
});

test('JSON is read as YAML is', () => {
  const { manifest } = readManifest(small);
  const asJson = JSON.stringify(
    {
      manifest: 1,
      id: 'fog-lamp',
      name: 'Fog lamp',
      suites: ['image'],
      batch_size: { Conjure: 1 },
      parameters: { aspect_ratios: [{ ratio: '1:1', width: 512, height: 512 }] },
      price: { base_millicredits: 1000 },
      routes: manifest?.routes,
    },
    undefined,
    '\t',
  );
  assert.deepEqual(readManifest(asJson).manifest, manifest);
});

test('a route that is like another has what that has, and its own', () => {
  const { manifest, lineOf } = readManifest(
    `${small}  - name: second
    like: own
    for: { kind: image }
    set:
      text.text: { text: 'slowly, {prompt}' }
      text.extra: { value: 3 }
`,
  ) as Extract<ReturnType<typeof readManifest>, { manifest: object }>;
  const [own, second] = manifest.routes;
  assert.deepEqual(second, {
    ...own,
    name: 'second',
    for: { kind: 'image' },
    set: { 'text.text': { text: 'slowly, {prompt}' }, 'text.extra': { value: 3 } },
  });
  assert.equal(lineOf(['routes', 1, 'set', 'text.text']), 23);
  assert.equal(lineOf(['routes', 1, 'outputs']), 18);
  assert.equal(lineOf(['routes', 1, 'opens']), 19);
});

test('the highest price that can be written stays a cost that an answer may say', () => {
  const keys = Array.from({ length: 50 }, (_, at) => `look${at}`);
  const { manifest, problems } = readManifest(
    changed(
      'base_millicredits: 1000',
      `base_millicredits: 1000000000000, per_second_millicredits: 100000000000, per_reference_millicredits: 1000000000000,
  options: { ${keys.map((key) => `${key}: { wild: 1000000000000 }`).join(', ')} }`,
    ),
  );
  assert.ok(manifest !== undefined, JSON.stringify(problems));
  const cost = priceOf(
    { price: manifest.price, parameters: { durations: [] } },
    {
      kind: 'video',
      model: 'fog-lamp',
      project_id: null,
      prompt: '',
      styles: [],
      suggestions: [],
      options: Object.fromEntries(keys.map((key) => [key, 'wild'])),
      reference_images: Array.from({ length: 50 }, () => 'a'),
      duration_seconds: 3_600,
    },
  );
  assert.ok(Schema.Check(millicredits, cost), `${cost}`);
});

const refused: readonly (readonly [text: string, code: string, line: number, words: RegExp])[] = [
  ['', 'invalid_yaml', 1, /empty/],
  ['a: [1, 2', 'invalid_yaml', 1, /valid YAML/],
  ['a: 1\nb: 2\na: 3', 'invalid_yaml', 3, /unique/],
  ['a: &x 1\nb: *x', 'invalid_yaml', 1, /Anchors/],
  ['a: 1\nb: !!str 2', 'invalid_yaml', 2, /Tags/],
  ['a: {}\n<<: { b: 1 }', 'invalid_yaml', 2, /Merge keys/],
  ['a: 1\n---\nb: 2', 'invalid_yaml', 2, /one document/],
  ['a: "\\0"', 'invalid_yaml', 1, /NUL/],
  ['a:\n  seed: 18446744073709551615', 'invalid_yaml', 2, /too large to be kept exactly/],
  ['a: .inf', 'invalid_yaml', 1, /finite/],
  ['['.repeat(50_000), 'invalid_yaml', 1, /deeper than 24/],
  [`a: ${'[1]'.padEnd(600_000)}`, 'invalid_yaml', 1, /larger than/],
  [`a: [${'1,'.repeat(20_001)}]`, 'invalid_yaml', 1, /more than 20000 values/],
  ['[]', 'type_mismatch', 1, /A manifest must be a map, not a list/],
  [changed('manifest: 1', 'manifest: 2'), 'choice_unknown', 1, /manifest cannot be 2/],
  [changed('price:', 'prize:'), 'unknown_key', 8, /no key prize; did you mean price/],
  [small.replace(/^price.*\n/m, ''), 'input_missing', 1, /needs the key "price"/],
  [changed('suites: [image]', 'suites: [picture]'), 'choice_unknown', 4, /suites\[0\] cannot be picture/],
  [changed('Conjure: 1', 'Conjure: 0.5'), 'out_of_range', 5, /whole number/],
  [changed('width: 512', "width: '512'"), 'type_mismatch', 7, /width must be a whole number, not the text/],
  ...[
    'base_millicredits: 1000000000001',
    'base_millicredits: 0, per_second_millicredits: 100000000001',
    'base_millicredits: 0, per_reference_millicredits: 1000000000001',
    'base_millicredits: 0, options: { look: { wild: 1000000000001 } }',
  ].map(
    (price) => [changed('base_millicredits: 1000', price), 'out_of_range', 8, /must be at most 10+/] as const,
  ),
  ...['wide', '0:1', '16x9', '16:9:1', ''].map(
    (ratio) =>
      [changed("'1:1'", `'${ratio}'`), 'out_of_range', 7, /\.ratio cannot be .*: width to height/] as const,
  ),
  [
    changed('price:', '  video_sizes: { wide: { width: 512, height: 256 } }\nprice:'),
    'unknown_key',
    8,
    /video_sizes cannot have the key wide: width to height, as 16:9/,
  ],
  [changed("id: '6'", 'id: 6'), 'type_mismatch', 15, /must be a text, not 6; put it in quotes/],
  [changed('name: Fog lamp', 'name:'), 'type_mismatch', 3, /not empty: leave the key out/],
  [changed('./fog-lamp.workflow.json', '../x.json'), 'out_of_range', 13, /a file beside the manifest/],
  [changed('id: fog-lamp', 'id: fog/../lamp'), 'out_of_range', 2, /letters, digits/],
  [changed('text: { id:', "'a.b': { id:"), 'unknown_key', 15, /cannot have the key a.b/],
  [changed("{ text: '{prompt}' }", '{ from: promt }'), 'choice_unknown', 17, /did you mean prompt/],
  [
    changed('    on: [gpu]', '    on: [gpu]\n    endpoint: a/b'),
    'unknown_key',
    13,
    /comfyui has no "endpoint"/,
  ],
  [changed('    workflow: ./fog-lamp.workflow.json\n', ''), 'input_missing', 10, /needs "workflow"/],
  [`${small}  - { name: b, like: ow }\n`, 'choice_unknown', 19, /no earlier route ow .*did you mean own/],
];

for (const [text, code, line, words] of refused)
  test(`refused on line ${line}: ${words.source}`, () => {
    const { problems = [] } = readManifest(text);
    const found = problems.find((one) => one.code === code && words.test(one.message));
    assert.ok(found !== undefined, JSON.stringify(problems));
    assert.equal(found.line, line);
  });
