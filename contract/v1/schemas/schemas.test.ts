import assert from 'node:assert/strict';
import { test } from 'node:test';
import Schema from 'typebox/schema';
import type { TSchema } from 'typebox';
import { operations, type OperationId } from '../operations.ts';
import type { Operation } from '../operation.ts';
import { estimateRequests } from './generation-requests.ts';
import { eventSchemas } from './event.ts';
import { Generation } from './generation.ts';
import { Problem } from './problem.ts';

const entries = Object.entries(operations) as [OperationId, Operation][];

type Node = TSchema & {
  type?: string | string[];
  title?: string;
  properties?: Record<string, Node>;
  required?: string[];
  additionalProperties?: boolean | Node;
  examples?: unknown[];
};

/** Calls `visit` on the schema and on every schema inside it. */
function walk(value: unknown, visit: (node: Node) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) walk(item, visit);
    return;
  }
  visit(value);
  const { examples: _examples, default: _default, enum: _enum, ...rest } = value as Record<string, unknown>;
  for (const part of Object.values(rest)) walk(part, visit);
}

function isObject(node: Node): boolean {
  return typeof node.properties === 'object' && [node.type].flat().includes('object');
}

const responses = [
  ...entries.map(([, { response }]) => response.schema),
  Problem,
  ...Object.values(eventSchemas),
];
const requests = entries.flatMap(([, { request }]) =>
  [request.params, request.query, request.body, request.form].filter((schema) => schema !== undefined),
);

test('every schema accepts its own examples', () => {
  let checked = 0;
  walk([...responses, ...requests, ...Object.values(estimateRequests)], (node) => {
    for (const example of node.examples ?? []) {
      const [, errors] = Schema.Errors(node, example);
      assert.ok(Schema.Check(node, example), `${node.title}: ${JSON.stringify(errors)}`);
      checked += 1;
    }
  });
  assert.ok(checked > 20);
});

test('answers are closed: no property beyond those that are promised', () => {
  walk(responses, (node) => {
    if (isObject(node))
      assert.equal(node.additionalProperties, false, node.title ?? Object.keys(node.properties!).join());
  });
});

test('properties of an answer are always there, but for the few that may be left out', () => {
  const optional: string[] = [];
  walk(responses, (node) => {
    if (!isObject(node)) return;
    const required = new Set(node.required);
    optional.push(...Object.keys(node.properties!).filter((name) => !required.has(name)));
  });
  const allowed = ['base_models', 'element', 'errors', 'max', 'max_length', 'min', 'step', 'values'];
  assert.deepEqual([...new Set(optional)].sort(), allowed);
});

test('requests are closed: a misspelt field is refused', () => {
  for (const schema of requests) {
    if (schema === operations.estimate.request.body) continue;
    assert.equal((schema as Node).additionalProperties, false, (schema as Node).title);
  }
  assert.ok(!Schema.Check(operations.estimate.request.body, { kind: 'image', promt: 'x' }));
});

test('an estimate is validated by the body of its kind alone', () => {
  const { body } = operations.estimate.request;
  assert.ok(Schema.Check(body, { kind: 'video_extend', video_id: 'out_1' }));
  assert.ok(!Schema.Check(body, { kind: 'image', video_id: 'out_1' }));
  assert.ok(!Schema.Check(body, { kind: 'image_edit', prompt: 'no image' }));
  assert.ok(!Schema.Check(body, { kind: 'sculpture' }));
  assert.ok(!Schema.Check(body, { prompt: 'x' }));
});

test('an unnamed field of a map is held to its schema whatever its name', () => {
  const { body } = operations.createImageGeneration.request;
  assert.ok(Schema.Check(body, { metadata: { 'two\nlines': 'x'.repeat(500) } }));
  assert.ok(!Schema.Check(body, { metadata: { 'two\nlines': 'x'.repeat(501) } }));
  assert.ok(Schema.Check(body, { options: { steps: 20, fast: true, look: 'soft' } }));
  assert.ok(!Schema.Check(body, { options: { steps: [20] } }));
});

test('limits of the image request hold at their edges', () => {
  const { body } = operations.createImageGeneration.request;
  const edges: [string, unknown, unknown][] = [
    ['prompt', 'x'.repeat(4096), 'x'.repeat(4097)],
    ['model', 'x'.repeat(200), 'x'.repeat(201)],
    ['styles', ['a', 'b', 'c'], ['a', 'b', 'c', 'd']],
    ['suggestions', Array(10).fill('x'.repeat(50)), Array(11).fill('x')],
    ['reference_images', Array(10).fill('x'.repeat(2048)), Array(11).fill('x')],
    ['reference_images', ['x'], ['']],
    ['metadata', Object.fromEntries(pairs(20)), Object.fromEntries(pairs(21))],
    ['clip_skip', 2, 2.5],
    ['aspect_ratio', 'x'.repeat(20), 'x'.repeat(21)],
  ];
  for (const [field, good, bad] of edges) {
    assert.ok(Schema.Check(body, { [field]: good }), `${field} at its limit`);
    assert.ok(!Schema.Check(body, { [field]: bad }), `${field} past its limit`);
  }
});

/** For each operation with a body: a value at the limit of its field, and a value beyond it. */
const edges: Partial<Record<OperationId, { base: object; fields: [string, unknown, unknown][] }>> = {
  createImageEdit: {
    base: { image: 'x' },
    fields: [
      ['image', 'x'.repeat(2048), 'x'.repeat(2049)],
      ['image', 'x', ''],
      ['mode', 'inpaint', 'outpaint'],
      ['strength', 0.1, 0.09],
      ['strength', 1, 1.01],
      ['mask', 'x'.repeat(15_000_000), 'x'.repeat(15_000_001)],
      ['inpaint_type', 'fill', 'erase'],
      ['mask_blur', 0.5, '0.5'],
      ['prompt', 'x'.repeat(4096), 'x'.repeat(4097)],
      ['reference_images', Array(10).fill('x'), Array(11).fill('x')],
      ['clip_skip', 1, 1.5],
      ['sampler', 'x'.repeat(100), 'x'.repeat(101)],
    ],
  },
  createVideoGeneration: {
    base: {},
    fields: [
      ['model', 'x'.repeat(200), 'x'.repeat(201)],
      ['base_model', 'x'.repeat(200), 'x'.repeat(201)],
      ['project_id', 'x'.repeat(100), 'x'.repeat(101)],
      ['prompt', '😀'.repeat(4096), '😀'.repeat(4097)],
      ['styles', Array(3).fill('x'.repeat(100)), ['x'.repeat(101)]],
      ['suggestions', Array(10).fill('x'.repeat(50)), ['x'.repeat(51)]],
      ['duration', 5, true],
      ['duration', 'x'.repeat(10), 'x'.repeat(11)],
      ['start_image', 'x'.repeat(2048), 'x'.repeat(2049)],
      ['end_image', 'x', ''],
      ['reference_images', Array(10).fill('x'.repeat(2048)), Array(11).fill('x')],
      ['reference_audios', Array(5).fill('x'.repeat(2048)), Array(6).fill('x')],
      ['reference_audios', ['x'], ['']],
      ['source_video', 'x'.repeat(2048), 'x'.repeat(2049)],
      ['aspect_ratio', 'x'.repeat(20), 'x'.repeat(21)],
      ['cfg', 7, '7'],
    ],
  },
  extendVideo: {
    base: { video_id: 'x' },
    fields: [
      ['video_id', 'x'.repeat(100), 'x'.repeat(101)],
      ['video_id', 'x', ''],
      ['prompt', 'x'.repeat(2048), 'x'.repeat(2049)],
      ['duration', '5', null],
      ['resolution', 'x'.repeat(20), 'x'.repeat(21)],
      ['project_id', 'x'.repeat(100), 'x'.repeat(101)],
      ['styles', Array(3).fill('x'), Array(4).fill('x')],
      ['suggestions', Array(10).fill('x'), Array(11).fill('x')],
      ['metadata', Object.fromEntries(pairs(20)), Object.fromEntries(pairs(21))],
    ],
  },
  createFrame: { base: { time: 0 }, fields: [['project_id', 'x'.repeat(100), 'x'.repeat(101)]] },
  updateAsset: { base: {}, fields: [['favorite', true, 'true']] },
};

for (const [id, { base, fields }] of Object.entries(edges))
  test(`limits of ${id} hold at their edges, and required fields are required`, () => {
    const { body } = operations[id as OperationId].request as { body: TSchema };
    for (const [field, good, bad] of fields) {
      assert.ok(Schema.Check(body, { ...base, [field]: good }), `${field} at its limit`);
      assert.ok(!Schema.Check(body, { ...base, [field]: bad }), `${field} past its limit`);
    }
    for (const name of Object.keys(base))
      assert.ok(!Schema.Check(body, { ...base, [name]: undefined }), name);
    assert.ok(!Schema.Check(body, { ...base, nothing: 1 }));
  });

test('ids in paths and words to search for have their lengths', () => {
  const lengths: [OperationId, 'params' | 'query', string, number, object][] = [
    ['getProject', 'params', 'id', 200, {}],
    ['getImageAsset', 'params', 'id', 200, {}],
    ['createFrame', 'params', 'id', 200, {}],
    ['updateAsset', 'params', 'id', 100, { type: 'frame' }],
    ['deleteAsset', 'params', 'id', 100, { type: 'video' }],
    ['listAssets', 'query', 'search', 100, {}],
    ['listAssets', 'query', 'project_id', 100, {}],
    ['listProjects', 'query', 'search', 100, {}],
  ];
  for (const [id, part, name, most, base] of lengths) {
    const schema = (operations[id].request as Record<string, TSchema>)[part] as TSchema;
    assert.ok(Schema.Check(schema, { ...base, [name]: 'x'.repeat(most) }), `${id} ${name}`);
    assert.ok(!Schema.Check(schema, { ...base, [name]: 'x'.repeat(most + 1) }), `${id} ${name}`);
  }
  for (const type of ['image', 'video', 'frame'])
    assert.ok(Schema.Check(operations.updateAsset.request.params, { type, id: 'x' }));
  for (const type of ['images', 'audio', ''])
    assert.ok(!Schema.Check(operations.updateAsset.request.params, { type, id: 'x' }));
});

test('a title of a project has 2 to 50 letters, digits and white space', () => {
  const { body } = operations.updateProject.request;
  for (const title of ['ab', 'Autumn posters 2', 'x'.repeat(50)])
    assert.ok(Schema.Check(body, { title }), title);
  for (const title of ['a', 'x'.repeat(51), 'naïve', 'a-b', ''])
    assert.ok(!Schema.Check(body, { title }), title);
});

test('the time of a frame is a number from 0 or the word last', () => {
  const { body } = operations.createFrame.request;
  for (const time of [0, 1.5, 'last']) assert.ok(Schema.Check(body, { time }), String(time));
  for (const time of [-1, 'first', '2', null]) assert.ok(!Schema.Check(body, { time }), String(time));
});

test('a queued generation has nulls where nothing is known yet', () => {
  const [finished] = (Generation as Node).examples as [Record<string, unknown>];
  const queued = {
    ...finished,
    status: 'queued',
    outputs: [],
    project_id: null,
    prompt_id: null,
    submitted_at: null,
  };
  assert.ok(Schema.Check(Generation, { ...queued, completed_at: null, cost: { credits: null } }));
  assert.ok(!Schema.Check(Generation, { ...queued, completed_at: null, secret: 1 }));
});

function pairs(count: number): [string, string][] {
  return Array.from({ length: count }, (_, index) => [`key${index}`, 'value']);
}
