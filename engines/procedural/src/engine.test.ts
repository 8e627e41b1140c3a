import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { EngineError, type ImageRequest, type Parameters } from '@renderkit/engine-kit/engine.ts';
import sharp from 'sharp';
import { createProceduralEngine } from './engine.ts';

const engine = createProceduralEngine();

test('Different prompts, seeds, models and output indexes give different images', async () => {
  const base = await pixels({ outputs: 2 });
  const [first, second] = base;
  assert.ok(first && second);
  assert.ok(difference(first, second) > 2, 'output index');
  for (const change of [{ seed: 8 }, { prompt: 'city skyline at night' }, { engineModel: 'prism' }]) {
    const [other] = await pixels(change);
    assert.ok(other && difference(first, other) > 2, JSON.stringify(change));
  }
});

test('Spacing around a prompt does not change the image, the option seed does', async () => {
  const [plain] = await pixels({});
  const [spaced] = await pixels({ prompt: '  alpine lake at dawn ' });
  const [seeded] = await pixels({ parameters: { options: { seed: 99 } } });
  assert.ok(plain && spaced && seeded);
  assert.equal(difference(plain, spaced), 0);
  assert.ok(difference(plain, seeded) > 2);
});

test('Words shift the colours of every model', async () => {
  for (const engineModel of engine.models) {
    const red = mean(await pixels({ engineModel, prompt: 'red sunset' }));
    const blue = mean(await pixels({ engineModel, prompt: 'blue winter' }));
    assert.ok(
      red.red - red.blue > blue.red - blue.blue + 10,
      `${engineModel}: ${JSON.stringify({ red, blue })}`,
    );
  }
});

test('A higher cfg follows the colour words more closely', async () => {
  const redness = async (cfg: number) => {
    const { red, blue } = mean(
      await pixels({ prompt: 'crimson day over hills', parameters: { settings: { cfg } } }),
    );
    return red - blue;
  };
  assert.ok((await redness(16)) > (await redness(1)) + 5);
});

test('Every parameter changes the image of every model', async () => {
  const changes: Parameters[] = [
    { settings: { cfg: 14 } },
    { settings: { weight: 1.7 } },
    { settings: { clip_skip: 4 } },
    { sampler: 'stipple' },
    { options: { grain: false } },
    { options: { palette: 'vivid' } },
    { options: { palette: 'pastel' } },
    { options: { palette: 'mono' } },
    { options: { detail: 10 } },
    { options: { finish: 'fine' } },
    { styles: ['vivid'] },
    { suggestions: ['stormy'] },
  ];
  for (const engineModel of engine.models) {
    const prompt = 'a woman under a red sky by the sea';
    const [plain] = await pixels({ engineModel, prompt });
    for (const parameters of changes) {
      const [changed] = await pixels({ engineModel, prompt, parameters });
      assert.ok(
        plain && changed && difference(plain, changed) > 0.25,
        `${engineModel} ${JSON.stringify(parameters)}`,
      );
    }
  }
});

test('An empty prompt still makes images, another for each seed', async () => {
  const [one] = await pixels({ engineModel: 'prism', prompt: '', seed: 1 });
  const [other] = await pixels({ engineModel: 'prism', prompt: '', seed: 2 });
  assert.ok(one && other && difference(one, other) > 5);
});

test('Soft and bold base models draw different figures', async () => {
  const [soft] = await pixels({ engineModel: 'figures', parameters: { baseModel: 'soft' } });
  const [bold] = await pixels({ engineModel: 'figures', parameters: { baseModel: 'bold' } });
  assert.ok(soft && bold && difference(soft, bold) > 5);
});

test('The palette option mono leaves next to no colour', async () => {
  for (const engineModel of engine.models) {
    const { red, green, blue } = mean(
      await pixels({ engineModel, parameters: { options: { palette: 'mono' } } }),
    );
    assert.ok(Math.max(red, green, blue) - Math.min(red, green, blue) < 16, engineModel);
  }
});

test('A reference image tints the palette, and one that is no image is refused', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'procedural-'));
  try {
    const path = join(folder, 'green.png');
    await sharp({ create: { width: 40, height: 40, channels: 3, background: '#1fae4b' } })
      .png()
      .toFile(path);
    const plain = mean(await pixels({ prompt: 'sea' }));
    const tinted = mean(await pixels({ prompt: 'sea', references: [{ path }] }));
    assert.ok(tinted.green - tinted.blue > plain.green - plain.blue + 3);
    const broken = join(folder, 'broken.png');
    await writeFile(broken, 'not a picture');
    await assert.rejects(
      pixels({ references: [{ path: broken }] }),
      (error) => error instanceof EngineError && error.code === 'unreadable_reference',
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});

function request(change: Partial<ImageRequest>): ImageRequest {
  return {
    kind: 'image',
    engineModel: 'atelier',
    prompt: 'alpine lake at dawn',
    width: 160,
    height: 160,
    seed: 7,
    parameters: {},
    references: [],
    outputs: 1,
    ...change,
  };
}

async function pixels(change: Partial<ImageRequest>): Promise<Buffer[]> {
  const images: Buffer[] = [];
  for await (const file of engine.render(request(change), AbortSignal.timeout(60_000))) {
    assert.ok(file.contentType === 'image/png');
    images.push(await sharp(file.bytes).raw().toBuffer());
  }
  return images;
}

function difference(one: Buffer, other: Buffer): number {
  assert.equal(one.length, other.length);
  let sum = 0;
  for (const [index, value] of one.entries()) sum += Math.abs(value - (other[index] ?? 0));
  return sum / one.length;
}

function mean([image]: Buffer[]): { red: number; green: number; blue: number } {
  assert.ok(image);
  const sums = [0, 0, 0];
  for (const [index, value] of image.entries()) sums[index % 3] = (sums[index % 3] ?? 0) + value;
  const [red = 0, green = 0, blue = 0] = sums.map((sum) => sum / (image.length / 3));
  return { red, green, blue };
}
