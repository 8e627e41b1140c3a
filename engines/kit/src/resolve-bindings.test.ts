import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineFailure } from './driver.ts';
import { resolveBindings, type SourceValues } from './resolve-bindings.ts';
import type { Binding, JsonValue } from './route.ts';
import { workingSize } from './working-size.ts';

const values: SourceValues<string> = {
  plain: {
    prompt: 'a lighthouse',
    styles: ['ink', 'fog'],
    suggestions: [],
    seed: 4_294_967_295,
    width: 1216,
    height: 832,
    strength: 0.25,
    duration_seconds: 5,
    outputs: 2,
  },
  settings: { cfg: 7 },
  options: { quality: 'high', transparent: true, steps: 20, negative: '' },
  media: { references: ['one.png', 'two.png'], image: ['source.png'] },
};

/** Resolves a single binding; `undefined` where its target keeps its value. */
function resolve(binding: Binding, change: Partial<SourceValues<string>> = {}) {
  const [resolved] = resolveBindings({ set: { target: binding } }, { ...values, ...change });
  return resolved;
}
const plain = (binding: Binding): JsonValue | undefined => {
  const resolved = resolve(binding);
  return resolved?.kind === 'plain' ? resolved.value : undefined;
};

test('texts are filled from their sources, and an empty one takes its comma along', () => {
  const cases: [string, string][] = [
    ['{prompt}, {styles}', 'a lighthouse, ink, fog'],
    ['{prompt}, {suggestions}', 'a lighthouse'],
    ['{suggestions}, {prompt}', 'a lighthouse'],
    ['{prompt}, {suggestions}, {styles}', 'a lighthouse, ink, fog'],
    ['{suggestions}, {options.negative}', ''],
    ['{prompt}. {suggestions}', 'a lighthouse. '],
    ['{width}x{height}', '1216x832'],
    ['{{{prompt}}} {options.quality}', '{a lighthouse} high'],
  ];
  for (const [text, expected] of cases) assert.equal(plain({ text }), expected, text);
});

test('what a request brings into a text is never read as a source', () => {
  const own = { ...values.plain, prompt: '{styles} and {{seed}}' };
  assert.deepEqual(resolve({ text: '{prompt}' }, { plain: own }), {
    target: 'target',
    kind: 'plain',
    value: '{styles} and {{seed}}',
  });
});

test('a value goes through its one change and then through the rest in order', () => {
  const cases: [Binding, JsonValue][] = [
    [{ value: { a: [1] } }, { a: [1] }],
    [{ from: 'seed' }, 4_294_967_295],
    [{ from: 'options.transparent', map: { true: 'clear', false: 'opaque' } }, 'clear'],
    [{ from: 'strength', bands: [{ below: 0.6, value: 'high' }, { value: 'low' }] }, 'high'],
    [{ from: 'cfg', bands: [{ below: 7, value: 'less' }, { value: 'more' }] }, 'more'],
    [{ from: 'strength', scale: { from: [0, 1], to: [0.4, 1] } }, 0.55],
    [{ from: 'cfg', scale: { from: [0, 1], to: [0.4, 0.9] } }, 0.9],
    [{ from: 'duration_seconds', frames: { fps: 16, step: 4, plus: 1 } }, 81],
    [{ from: 'cfg', times: 2, plus: 0.4, round: 'up' }, 15],
    [{ from: 'width', multiple_of: 100, round: 'down' }, 1200],
    [{ from: 'width', multiple_of: 64, max: 1024 }, 1024],
    [{ from: 'cfg', times: -1, as: 'int' }, -7],
    [{ from: 'options.steps', as: 'string' }, '20'],
    [{ from: 'options.transparent', as: 'int' }, 1],
    [{ from: 'styles', as: 'json' }, '["ink","fog"]'],
    [{ from: 'outputs', as: 'bool' }, true],
    [{ from: ['sampler', 'options.quality'] }, 'high'],
    [{ from: 'sampler', default: 'euler', map: { euler: 1 } }, 1],
  ];
  for (const [binding, expected] of cases)
    assert.deepEqual(plain(binding), expected, JSON.stringify(binding));
});

test('what the request has nothing of is kept, removed or refused', () => {
  assert.equal(resolve({ from: 'sampler' }), undefined);
  assert.equal(resolve({ from: 'mask', absent: 'keep' }), undefined);
  assert.deepEqual(resolve({ from: 'sampler', absent: 'remove' }), { target: 'target', kind: 'remove' });
  for (const from of ['sampler', 'mask'] as const)
    assert.throws(() => resolve({ from, absent: 'refuse' }), {
      name: 'EngineFailure',
      blame: 'render',
      code: 'invalid_request',
      target: 'target',
    });
});

test('a value that its target cannot take is the fault of the render, and names the target', () => {
  for (const binding of [
    { from: 'options.quality', map: { low: 1 } },
    { from: 'options.quality', map: Object.create({ high: 1 }) as Record<string, JsonValue> },
    { from: 'prompt', times: 2 },
    { from: 'cfg', bands: [{ below: 1, value: 1 }] },
  ] satisfies Binding[])
    assert.throws(
      () => resolve(binding),
      (error) => error instanceof EngineFailure && error.blame === 'render' && error.target === 'target',
    );
});

test('media come in the order of their sources, several as a list, one by its position', () => {
  const image = { source: 'image', file: 'source.png' };
  const references = [
    { source: 'references', file: 'one.png' },
    { source: 'references', file: 'two.png' },
  ];
  const picture = {};
  const medium = { target: 'target', kind: 'media', picture };
  assert.deepEqual(resolve({ from: 'image' }), { ...medium, media: [image], several: false });
  assert.deepEqual(resolve({ from: 'references' }), { ...medium, media: references, several: true });
  assert.deepEqual(resolve({ from: ['image', 'references'] }), {
    ...medium,
    media: [image, ...references],
    several: true,
  });
  const second = resolve({ from: 'references', picture: { item: 1 } });
  assert.deepEqual(second, { ...medium, picture: { item: 1 }, media: [references[1]], several: false });
  assert.equal(resolve({ from: 'references', picture: { item: 2 } }), undefined);
  assert.deepEqual(resolve({ from: 'mask', default: 'white' }), {
    ...medium,
    media: [{ source: 'mask', blank: 'white' }],
    several: false,
  });
});

test('the working size keeps to multiples and below the pixels of its route', () => {
  const size = { width: 1920, height: 1080 };
  assert.deepEqual(workingSize(size), size);
  assert.deepEqual(workingSize(size, { multiple_of: 16 }), { width: 1920, height: 1088 });
  assert.deepEqual(workingSize({ width: 100, height: 60 }, { min_side: 120 }), { width: 200, height: 120 });
  for (let width = 256; width <= 4096; width += 61)
    for (const height of [256, 777, 2160]) {
      const made = workingSize({ width, height }, { multiple_of: 16, max_pixels: 1_048_576 });
      assert.ok(made.width % 16 === 0 && made.height % 16 === 0, JSON.stringify(made));
      assert.ok(made.width * made.height <= 1_048_576, JSON.stringify(made));
    }
});
