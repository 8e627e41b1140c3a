import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { builtInCatalog } from '../catalog/built-in.ts';
import { engineRequest, sizeOfRatio } from './engine-request.ts';

let catalog: Awaited<ReturnType<typeof builtInCatalog>>;
before(async () => {
  catalog = await builtInCatalog();
});

test('A size of a ratio is even and has about as many pixels as asked', () => {
  const cases = [
    [{ width: 4000, height: 3000 }, 640 * 360],
    [{ width: 301, height: 997 }, 480 * 480],
    [{ width: 100, height: 100 }, 230_400],
  ] as const;
  for (const [shape, pixels] of cases) {
    const { width, height } = sizeOfRatio(shape, pixels);
    assert.deepEqual([width % 2, height % 2], [0, 0]);
    assert.ok(Math.abs((width * height) / pixels - 1) < 0.02);
    assert.ok(Math.abs(width / height / (shape.width / shape.height) - 1) < 0.01);
  }
});

test('no side becomes too short for a video', () => {
  assert.deepEqual(sizeOfRatio({ width: 5000, height: 50 }, 640 * 360).height, 64);
});

/** Builds an engine's request for an inpaint of an image of 160 × 120 pixels. */
function inpaintWithMask(mask: { width: number | null; height: number | null }) {
  const file = { type: 'image', duration: null } as const;
  const model = catalog.models.get('retouch-1');
  assert.ok(model);
  return engineRequest(
    {
      id: 'rnd_1',

      expected_outputs: 1,
    },
    {
      kind: 'image_edit',
      model: 'retouch-1',
      project_id: null,
      prompt: 'a red door',
      styles: [],
      suggestions: [],
      options: {},
      reference_images: [],
      image: 'ast_1',
      mode: 'inpaint',
      mask: 'upl_1',
    },
    model,
    {
      files: [
        { ...file, id: 'ast_1', storage_key: 'image', width: 160, height: 120 },
        { ...file, id: 'upl_1', storage_key: 'mask', ...mask },
      ],
      styles: [],
      snapshot: catalog,
      paths: new Map([
        ['image', '/image.png'],
        ['mask', '/mask.png'],
      ]),
    },
  );
}

test('A mask of another ratio, known only once it was looked at, reaches no engine', () => {
  assert.throws(() => inpaintWithMask({ width: 90, height: 90 }), { code: 'invalid_request' });
  const asked = inpaintWithMask({ width: 80, height: 61 });
  assert.equal(asked.kind === 'image_edit' && asked.inpaint?.mask.path, '/mask.png');
});
