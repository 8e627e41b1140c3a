import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import type { PreparedMedia } from './driver.ts';
import { type PrepareMediaOptions, prepareMedia, type SourceFile } from './prepare-media.ts';
import type { ResolvedBinding } from './resolve-bindings.ts';
import type { MediaSource, ImageBinding } from './route.ts';

const directory = await mkdtemp(path.join(tmpdir(), 'prepare-media-'));
after(() => rm(directory, { recursive: true }));
const options: PrepareMediaOptions = {
  size: { width: 64, height: 32 },
  imageSize: { width: 80, height: 40 },
  maskBlur: 0,
  folder: path.join(directory, 'made'),
  signal: AbortSignal.timeout(60_000),
};

/** An image whose left half has one colour and whose right half has another; half as high as wide. */
async function halves(name: string, left: string, right: string, more = (image: Sharp) => image) {
  const half = { width: 40, height: 40, channels: 4 } as const;
  const rightHalf = await sharp({ create: { ...half, background: right } })
    .png()
    .toBuffer();
  const bytes = await more(
    sharp({ create: { ...half, background: left } }).extend({ right: 40, background: '#0000' }),
  )
    .composite([{ input: rightHalf, left: 40, top: 0 }])
    .toBuffer();
  return imageFile(name, bytes);
}

async function imageFile(name: string, bytes: Buffer, [width, height] = [80, 40]): Promise<SourceFile> {
  const file = path.join(directory, name);
  await writeFile(file, bytes);
  return { path: file, type: 'image', width, height };
}

async function prepareOne(
  source: MediaSource,
  medium: SourceFile | 'white' | 'black',
  picture: ImageBinding = {},
  change: Partial<PrepareMediaOptions> = {},
): Promise<PreparedMedia> {
  const media = [typeof medium === 'string' ? { source, blank: medium } : { source, file: medium }];
  const binding = { target: 'load.image', kind: 'media', several: false, picture, media } as const;
  const [value] = await prepareMedia([binding], { ...options, ...change });
  assert.ok(value?.kind === 'media' && value.media[0] !== undefined);
  return value.media[0];
}

async function pixelsOf({ path: file }: PreparedMedia) {
  const { data, info } = await sharp(file).raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => [
    ...data.subarray((y * info.width + x) * info.channels, (y * info.width + x + 1) * info.channels),
  ];
  return { ...info, at };
}

test('an image comes at the working size, upright, opaque, without metadata, named by its content', async () => {
  const turned = await halves('turned.png', '#c00', '#0c0', (image) =>
    image.withExif({ IFD0: { Artist: 'somebody' } }).png(),
  );
  const made = await prepareOne('image', turned);
  const bytes = await readFile(made.path);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  assert.deepEqual(made, {
    path: path.join(options.folder, `${sha256}.png`),
    sha256,
    contentType: 'image/png',
    sizeBytes: bytes.length,
  });
  const { width, height, channels, at } = await pixelsOf(made);
  assert.deepEqual([width, height, channels], [64, 32, 3]);
  assert.deepEqual(at(5, 16), [204, 0, 0]);
  assert.deepEqual(at(60, 16), [0, 204, 0]);
  assert.equal(bytes.includes('somebody'), false);
  assert.deepEqual(await prepareOne('image', turned), made);
});

test('an image is cut, padded or stretched to the working size, or keeps its own below the limit', async () => {
  const square = await imageFile(
    'square.png',
    await sharp({ create: { width: 90, height: 90, channels: 4, background: '#00f8' } })
      .png()
      .toBuffer(),
    [90, 90],
  );
  const size = (made: { width: number; height: number }) => [made.width, made.height];
  const cut = await pixelsOf(await prepareOne('image', square));
  const padded = await pixelsOf(await prepareOne('image', square, { fit: 'contain' }));
  const stretched = await pixelsOf(await prepareOne('image', square, { fit: 'stretch' }));
  for (const made of [cut, padded, stretched]) assert.deepEqual([...size(made), made.channels], [64, 32, 3]);
  assert.deepEqual(padded.at(2, 16), [255, 255, 255]);
  // Transparent areas become white.
  assert.deepEqual(cut.at(2, 16), [119, 119, 255]);
  assert.deepEqual(stretched.at(2, 16), [119, 119, 255]);
  assert.deepEqual(size(await pixelsOf(await prepareOne('references', square))), [90, 90]);
  const limited = await prepareOne('references', square, { max_pixels: 400, format: 'jpeg' });
  assert.equal(limited.contentType, 'image/jpeg');
  assert.deepEqual(size(await pixelsOf(limited)), [20, 20]);
});

test('a mask says what changes as its engine reads it', async () => {
  const mask = await halves('mask.png', '#000', '#fff', (image) => image.png());
  const white = await pixelsOf(await prepareOne('mask', mask));
  assert.deepEqual([white.channels, white.at(5, 5)[0], white.at(60, 5)[0]], [3, 0, 255]);
  const black = await pixelsOf(await prepareOne('mask', mask, { mask: 'black_changes' }));
  assert.deepEqual([black.at(5, 5)[0], black.at(60, 5)[0]], [255, 0]);
  const clear = await pixelsOf(await prepareOne('mask', mask, { mask: 'transparent_changes' }));
  assert.deepEqual(
    [clear.at(5, 5), clear.at(60, 5)],
    [
      [0, 0, 0, 255],
      [0, 0, 0, 0],
    ],
  );
  const soft = await pixelsOf(await prepareOne('mask', mask, {}, { maskBlur: 8 }));
  assert.equal(soft.at(28, 5)[0], 0);
  assert.ok((soft.at(34, 5)[0] ?? 0) < 128 && (soft.at(60, 5)[0] ?? 0) > 250);
});

test('white or black stands for an image or a mask that the request does not have', async () => {
  const cases = [
    ['image', 'white', {}, [255, 255, 255]],
    ['image', 'black', {}, [0, 0, 0]],
    ['mask', 'white', {}, [255, 255, 255]],
    ['mask', 'white', { mask: 'transparent_changes' }, [0, 0, 0, 0]],
  ] as const;
  for (const [source, blank, picture, expected] of cases) {
    const { at, width, height } = await pixelsOf(
      await prepareOne(source, blank, picture, { imageSize: null }),
    );
    assert.deepEqual([width, height, at(9, 9)], [64, 32, expected]);
  }
});

test('plain values pass, in order, and the same file for two targets is made once', async () => {
  const file = await halves('twice.png', '#111', '#222', (image) => image.png());
  const media = [{ source: 'image', file }] as const;
  const bindings: ResolvedBinding<SourceFile>[] = [
    { target: 'a', kind: 'media', several: false, picture: {}, media },
    { target: 'b', kind: 'plain', value: 1 },
    { target: 'c', kind: 'media', several: true, picture: {}, media },
  ];
  const [a, b, c] = await prepareMedia(bindings, options);
  assert.deepEqual(b, { target: 'b', kind: 'plain', value: 1 });
  assert.ok(a?.kind === 'media' && c?.kind === 'media' && c.several);
  assert.equal(a.media[0], c.media[0]);
});

test('a file that cannot be read is the fault of the render, and names its target', async () => {
  const good = await readFile((await halves('good.png', '#123', '#fed', (image) => image.png())).path);
  const files = {
    truncated: good.subarray(0, good.length - 40),
    text: Buffer.from('neither a picture nor a mask'),
    // The header promises 60,000 × 60,000 pixels.
    bomb: Buffer.concat([good.subarray(0, 16), Buffer.from('0000ea600000ea60', 'hex'), good.subarray(24)]),
  };
  for (const [name, bytes] of Object.entries(files))
    for (const source of ['image', 'mask'] as const)
      await assert.rejects(
        prepareOne(source, await imageFile(name, bytes)),
        { name: 'EngineFailure', blame: 'render', code: 'invalid_request', target: 'load.image' },
        `${name} as ${source}`,
      );
});
