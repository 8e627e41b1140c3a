import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { EngineError, type ImageEditRequest, type Inpaint } from '@renderkit/engine-kit/engine.ts';
import sharp from 'sharp';
import { ownSize } from './edit-image.ts';
import { createProceduralEngine } from './engine.ts';

const engine = createProceduralEngine();
const folder = await mkdtemp(join(tmpdir(), 'edit-'));
after(() => rm(folder, { recursive: true }));

const side = { width: 200, height: 150 };
const source = await keep('source.png', await drawSource());

test('The source gives way step by step as the strength grows, in every hand', async () => {
  const original = await pixelsOf(source);
  for (const engineModel of engine.models) {
    const distances: number[] = [];
    for (const strength of [0.1, 0.3, 0.5, 0.7, 0.85, 1]) {
      const { data } = await edit({ engineModel, strength });
      distances.push(distance(data, original));
    }
    const said = `${engineModel}: ${distances.map((value) => value.toFixed(1)).join(' ')}`;
    for (const [step, value] of distances.entries())
      assert.ok(step === 0 || value > (distances[step - 1] ?? 0), said);
    assert.ok((distances[0] ?? 99) < (distances.at(-1) ?? 0) * 0.35, said);
  }
});

test('Each hand redraws the same source in its own way', async () => {
  const made = await Promise.all(engine.models.map((engineModel) => edit({ engineModel, strength: 0.5 })));
  for (const [index, one] of made.entries())
    for (const other of made.slice(index + 1)) assert.ok(distance(one.data, other.data) > 1);
});

test('Pixels under black are the source to the last bit, in both kinds of inpainting and with blur', async () => {
  const mask = await paintMask('half.png', (x) => (x < 100 ? 255 : 0));
  const original = await pixelsOf(source);
  for (const type of ['refine', 'fill'] as const) {
    for (const blur of [0, 14]) {
      const { data, info } = await edit({ inpaint: { mask, type, blur } });
      assert.deepEqual([info.width, info.height], [side.width, side.height]);
      assert.equal(
        distanceWhere(data, original, (x) => x >= 100),
        0,
      );
      assert.ok(distanceWhere(data, original, (x) => x < 70) > 4, `${type} ${blur}`);
    }
  }
});

test('A mask of another size, colour depth or transparency does the same; only brightness counts', async () => {
  const original = await pixelsOf(source);
  const small = await paintMask('small.png', (x) => (x < 20 ? 255 : 0), { width: 40, height: 30 });
  const { data } = await edit({ inpaint: { mask: small, type: 'fill', blur: 0 } });
  assert.equal(
    distanceWhere(data, original, (x) => x >= 100),
    0,
  );
  const seeThrough = await keep(
    'see-through.png',
    await sharp({
      create: { ...side, channels: 4, background: { r: 255, g: 255, b: 255, alpha: 0 } },
    })
      .png()
      .toBuffer(),
  );
  const whole = await edit({ inpaint: { mask: seeThrough, type: 'fill', blur: 0 } });
  const opaque = await edit({
    inpaint: { mask: await paintMask('white.png', () => 255), type: 'fill', blur: 0 },
  });
  assert.equal(distance(whole.data, opaque.data), 0);
});

test('Grey mixes by its value, and blur makes the rim soft without reaching into black', async () => {
  const original = await pixelsOf(source);
  const inpaint = { type: 'fill', blur: 0 } as const;
  const full = await edit({ inpaint: { ...inpaint, mask: await paintMask('white.png', () => 255) } });
  const half = await edit({ inpaint: { ...inpaint, mask: await paintMask('grey.png', () => 64) } });
  const expected = original.map((value, index) =>
    Math.round(value + (((full.data[index] ?? 0) - value) * 64) / 255),
  );
  assert.ok(half.data.every((value, index) => Math.abs(value - (expected[index] ?? 0)) <= 1));
  const mask = await paintMask('half.png', (x) => (x < 100 ? 255 : 0));
  const hard = await edit({ inpaint: { ...inpaint, mask } });
  const soft = await edit({ inpaint: { ...inpaint, mask, blur: 12 } });
  const rim = (data: Buffer) => distanceWhere(data, original, (x) => x >= 92 && x < 100);
  assert.ok(rim(soft.data) < rim(hard.data) * 0.5);
  assert.ok(distanceWhere(soft.data, hard.data, (x) => x < 50) < 1.5);
});

test('What fills a hole goes on from its surroundings', async () => {
  const original = await pixelsOf(source);
  const mask = await paintMask('strip.png', (x) => (x >= 70 && x < 110 ? 255 : 0));
  const { data } = await edit({ prompt: 'nothing', inpaint: { mask, type: 'fill', blur: 0 } });
  const seam = (pixels: Buffer, at: number) => {
    let sum = 0;
    for (let y = 0; y < side.height; y++)
      for (let channel = 0; channel < 3; channel++)
        sum += Math.abs(
          (pixels[(y * side.width + at) * 3 + channel] ?? 0) -
            (pixels[(y * side.width + at - 1) * 3 + channel] ?? 0),
        );
    return sum / (side.height * 3);
  };
  const usual = Math.max(seam(original, 60), seam(original, 120));
  for (const at of [70, 110]) assert.ok(seam(data, at) < usual + 6, `${at}: ${seam(data, at)}, ${usual}`);
});

test('What the words of a fill name is drawn in the hole, the same again for the same seed', async () => {
  const mask = await paintMask('middle.png', (x) => (x >= 40 && x < 160 ? 255 : 0));
  const inpaint = { mask, type: 'fill', blur: 0 } as const;
  const empty = await edit({ prompt: 'nothing', inpaint });
  for (const prompt of ['a castle', 'the moon', 'flowers', 'clouds']) {
    const { data } = await edit({ prompt, inpaint });
    const apart = distanceWhere(data, empty.data, (x) => x >= 40 && x < 160);
    assert.ok(apart > 0.2, `${prompt}: ${apart}`);
  }
  const again = await editAnew({ prompt: 'nothing', inpaint });
  assert.ok(again.data.equals(empty.data));
});

test('Refining keeps the forms under the mask, filling does not', async () => {
  const original = await pixelsOf(source);
  const mask = await paintMask('white.png', () => 255);
  const refined = await edit({ strength: 0.5, inpaint: { mask, type: 'refine', blur: 0 } });
  const filled = await edit({ strength: 0.5, inpaint: { mask, type: 'fill', blur: 0 } });
  assert.ok(likeness(refined.data, original) > 0.8, `${likeness(refined.data, original)}`);
  assert.ok(likeness(filled.data, original) < likeness(refined.data, original) - 0.2);
});

test('The output is as large as the source, or cut to the size that was asked', async () => {
  const odd = await keep('odd.png', await sharp(source.path).resize(161, 121).png().toBuffer());
  const own = await edit({ image: odd });
  assert.deepEqual([own.info.width, own.info.height], [161, 121]);
  const asked = await edit({ size: { width: 96, height: 128 } });
  assert.deepEqual([asked.info.width, asked.info.height], [96, 128]);
  assert.deepEqual(ownSize({ width: 8000, height: 4000 }), { width: 2896, height: 1448 });
  assert.deepEqual(ownSize({ width: 40, height: 30 }), { width: 86, height: 64 });
  assert.throws(() => ownSize({ width: 16_000, height: 20 }), hasCode('invalid_request'));
});

test('An image that its camera turned is worked on upright', async () => {
  const turned = await sharp(source.path).jpeg({ quality: 95 }).withMetadata({ orientation: 6 }).toBuffer();
  const { info } = await edit({ image: await keep('turned.jpg', turned) });
  assert.deepEqual([info.width, info.height], [side.height, side.width]);
});

test('A transparent source stays transparent where nothing changes', async () => {
  const clear = await keep('clear.png', await sharp(source.path).ensureAlpha(0.5).png().toBuffer());
  const mask = await paintMask('half.png', (x) => (x < 100 ? 255 : 0));
  const made = await edit({ image: clear, inpaint: { mask, type: 'fill', blur: 0 } }, 4);
  const alphaAt = (x: number) => made.data[(60 * side.width + x) * 4 + 3];
  assert.equal(alphaAt(20), 255);
  assert.ok([127, 128].includes(alphaAt(150) ?? 0));
});

test('A source or a mask that is no image is refused with a code', async () => {
  const broken = await keep('broken.png', Buffer.from('not a picture'));
  await assert.rejects(edit({ image: broken }), hasCode('unreadable_reference'));
  await assert.rejects(
    edit({ inpaint: { mask: broken, type: 'fill', blur: 0 } }),
    hasCode('unreadable_reference'),
  );
});

const hasCode = (code: string) => (error: unknown) => error instanceof EngineError && error.code === code;

async function keep(name: string, bytes: Buffer): Promise<{ path: string }> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return { path };
}

/** Draws an image with shapes, colours and a clear composition. */
async function drawSource(): Promise<Buffer> {
  const request = { kind: 'image', engineModel: 'figures', prompt: 'a woman in golden light' } as const;
  const common = { seed: 3, parameters: {}, references: [], outputs: 1 };
  for await (const file of engine.render({ ...request, ...common, ...side }, AbortSignal.timeout(60_000)))
    if (file.contentType === 'image/png') return file.bytes;
  throw new Error('nothing was drawn');
}

function paintMask(name: string, valueAt: (x: number) => number, size = side): Promise<{ path: string }> {
  const bytes = Buffer.alloc(size.width * size.height);
  for (let index = 0; index < bytes.length; index++) bytes[index] = valueAt(index % size.width);
  return sharp(bytes, { raw: { ...size, channels: 1 } })
    .png()
    .toBuffer()
    .then((png) => keep(name, png));
}

const pixelsOf = ({ path }: { path: string }) => sharp(path).removeAlpha().raw().toBuffer();

type Change = Partial<ImageEditRequest> & { inpaint?: Inpaint | null };

const edits = new Map<string, ReturnType<typeof editAnew>>();

/** Returns an edit. An edit that several tests need is made once. */
function edit(change: Change, channels: 3 | 4 = 3): ReturnType<typeof editAnew> {
  const key = JSON.stringify([change, channels]);
  const made = edits.get(key) ?? editAnew(change, channels);
  edits.set(key, made);
  return made;
}

async function editAnew(change: Change, channels: 3 | 4 = 3) {
  const request: ImageEditRequest = {
    kind: 'image_edit',
    engineModel: 'atelier',
    prompt: 'snow over a dark blue lake',
    image: source,
    size: null,
    strength: 0.8,
    inpaint: null,
    seed: 7,
    parameters: {},
    references: [],
    outputs: 1,
    ...change,
  };
  for await (const file of engine.render(request, AbortSignal.timeout(60_000))) {
    assert.ok(file.contentType === 'image/png');
    const decoded = sharp(file.bytes);
    return (channels === 4 ? decoded : decoded.removeAlpha()).raw().toBuffer({ resolveWithObject: true });
  }
  throw new Error('nothing was drawn');
}

const distance = (one: Buffer, other: Buffer) => distanceWhere(one, other, () => true);

/** Mean difference of the channels of all pixels in the columns that `where` picks. */
function distanceWhere(one: Buffer, other: Buffer, where: (x: number) => boolean): number {
  let sum = 0;
  let count = 0;
  for (const [index, value] of one.entries()) {
    if (!where(Math.floor(index / 3) % side.width)) continue;
    sum += Math.abs(value - (other[index] ?? 0));
    count++;
  }
  return sum / count;
}

/** Returns the correlation of the green channels: high if light and dark are in the same places. */
function likeness(one: Buffer, other: Buffer): number {
  const greens = (data: Buffer) =>
    Array.from({ length: data.length / 3 }, (_, pixel) => data[pixel * 3 + 1] ?? 0);
  const [a, b] = [greens(one), greens(other)];
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanA, meanB] = [mean(a), mean(b)];
  const covariance = (x: number[], meanX: number, y: number[], meanY: number) =>
    x.reduce((sum, value, index) => sum + (value - meanX) * ((y[index] ?? 0) - meanY), 0);
  return (
    covariance(a, meanA, b, meanB) /
    Math.sqrt(covariance(a, meanA, a, meanA) * covariance(b, meanB, b, meanB))
  );
}
