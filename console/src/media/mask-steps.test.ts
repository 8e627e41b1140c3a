import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MaskStep } from './mask-step.ts';
import { whitenMask } from './mask-grey.ts';
import {
  drawMask,
  type MaskContext,
  maskSizeOf,
  mayShow,
  pointOf,
  rectangleOf,
  uploadOf,
} from './mask-steps.ts';

test('A mask has the size of its picture, or a smaller one of the same ratio', () => {
  assert.deepEqual(maskSizeOf({ width: 1024, height: 768 }), { width: 1024, height: 768 });
  assert.deepEqual(maskSizeOf({ width: 8000, height: 4000 }), { width: 2048, height: 1024 });
  assert.deepEqual(maskSizeOf({ width: 10_000, height: 1 }), { width: 2048, height: 1 });
  for (const [width, height] of [
    [4001, 3003],
    [16_384, 2_999],
    [2_049, 2_048],
  ] as const) {
    const mask = maskSizeOf({ width, height });
    // The studio allows a difference of one pixel, or one percent.
    assert.ok(Math.abs((mask.width * height) / width - mask.height) <= 1);
  }
});

test('A pointer is found on the picture however large that is shown', () => {
  const box = { left: 10, top: 20, width: 200, height: 100 };
  const image = { width: 1000, height: 500 };
  assert.deepEqual(pointOf({ x: 10, y: 20 }, box, image), { x: 0, y: 0 });
  assert.deepEqual(pointOf({ x: 110, y: 70 }, box, image), { x: 500, y: 250 });
  assert.deepEqual(pointOf({ x: 76.666, y: 53.333 }, box, image), { x: 333.3, y: 166.7 });
});

test('A rectangle in percent stays on the picture', () => {
  assert.deepEqual(rectangleOf({ left: 50, top: -5, width: 80, height: 55 }, { width: 1000, height: 500 }), {
    from: { x: 500, y: 0 },
    to: { x: 1000, y: 250 },
  });
});

const dot = { kind: 'stroke', erase: false, width: 10, points: [{ x: 1, y: 1 }] } as const;

test('A mask on which nothing is white any more is known as such', () => {
  const all: MaskStep = { kind: 'everything' };
  const nothing: MaskStep = { kind: 'nothing' };
  assert.equal(mayShow([]), false);
  assert.equal(mayShow([{ ...dot, erase: true }]), false);
  assert.equal(mayShow([dot]), true);
  assert.equal(mayShow([{ kind: 'image', png: '', upload: 'upl_1' }]), true);
  assert.equal(mayShow([dot, nothing]), false);
  assert.equal(mayShow([all]), true);
  assert.equal(mayShow([nothing, { kind: 'invert' }]), true);
});

test('Steps are drawn in their order, each in its way, at the scale of the canvas', () => {
  const calls: string[] = [];
  const png = 'data:image/png;base64,AAAA';
  const images = new Map([[png, 'the mask of before' as unknown as CanvasImageSource]]);
  const record =
    (name: string) =>
    (...values: unknown[]) =>
      void calls.push([name, ...values].join(' '));
  const context = {
    ...Object.fromEntries(
      ['beginPath', 'moveTo', 'lineTo', 'stroke', 'clearRect', 'save', 'restore', 'scale', 'drawImage'].map(
        (name) => [name, record(name)],
      ),
    ),
    fillRect: (...values: number[]) =>
      void calls.push([`fillRect(${context.globalCompositeOperation})`, ...values].join(' ')),
    globalCompositeOperation: 'source-over',
  } as unknown as MaskContext;
  drawMask(
    context,
    [
      { kind: 'everything' },
      { kind: 'image', png, upload: 'upl_1' },
      { kind: 'rectangle', erase: true, from: { x: 2, y: 3 }, to: { x: 6, y: 9 } },
      dot,
      { kind: 'invert' },
    ],
    { size: { width: 50, height: 25 }, image: { width: 100, height: 50 }, images },
  );
  assert.deepEqual(calls, [
    'clearRect 0 0 50 25',
    'save',
    'scale 0.5 0.5',
    'fillRect(source-over) 0 0 100 50',
    'drawImage the mask of before 0 0 100 50',
    'fillRect(destination-out) 2 3 4 6',
    'beginPath',
    'moveTo 1 1',
    'lineTo 1 1',
    'stroke',
    'fillRect(xor) 0 0 100 50',
    'restore',
  ]);
});

test('A mask of elsewhere is the upload that it is until something else is painted', () => {
  const taken: MaskStep = { kind: 'image', png: '', upload: 'upl_1' };
  assert.equal(uploadOf([taken]), 'upl_1');
  assert.equal(uploadOf([]), undefined);
  assert.equal(uploadOf([dot]), undefined);
  assert.equal(uploadOf([taken, dot]), undefined);
});

test('A mask of elsewhere is as white as the engines read it', () => {
  // The values that `readMask` gives for the same pixels.
  const read = [
    { color: [255, 0, 0], grey: 127 },
    { color: [0, 255, 0], grey: 220 },
    { color: [0, 0, 255], grey: 76 },
    { color: [255, 255, 0], grey: 247 },
    { color: [120, 30, 200], grey: 85 },
    { color: [10, 0, 0], grey: 2 },
    { color: [90, 90, 90], grey: 90 },
  ];
  const pixels = Uint8ClampedArray.from(read.flatMap(({ color }) => [...color, 255]));
  assert.equal(whitenMask(pixels), true);
  assert.deepEqual(
    [...pixels],
    read.flatMap(({ grey }) => [255, 255, 255, grey]),
  );
});

test('A mask that is not opaque is not drawn', () => {
  // Engines read the color of a transparent pixel.
  assert.equal(whitenMask(Uint8ClampedArray.from([255, 255, 255, 255, 255, 255, 255, 0])), false);
});
