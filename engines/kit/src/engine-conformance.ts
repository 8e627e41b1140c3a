import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { access, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import {
  EngineError,
  type Engine,
  type EngineKind,
  type EngineRequest,
  type ImageRequest,
  type RenderedFile,
  type RenderedImage,
} from './engine.ts';

/** An engine under test, and those of its models that render normally. */
export type ConformanceCase = { engine: Engine; models: readonly string[] };

const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
// Not after the tests of one file: several files may share the process.
process.once('exit', () => rmSync(folder, { recursive: true }));

/**
 * Tests that one engine does what a render worker relies on. Each engine's own tests call this function. Drivers have
 * the tests of `driver-conformance.ts`.
 */
export function testConformance({ engine, models }: ConformanceCase): void {
  for (const engineModel of models) testImages(engine, engineModel);
  testOutputs(engine, models[0] ?? '');
  if (engine.kinds.includes('image_edit')) testFiles(engine, models[0] ?? '');
}

function testImages(engine: Engine, engineModel: string): void {
  test(`${engine.id}/${engineModel} renders a decodable, opaque PNG of the asked size with a thumbnail`, async () => {
    for (const [width, height] of [
      [128, 128],
      [160, 128],
      [128, 520],
    ] as const) {
      const [file] = await collect(engine, { engineModel, width, height });
      assert.ok(file);
      assert.equal(file.contentType, 'image/png');
      assert.equal(file.index, 0);
      assert.deepEqual([file.width, file.height], [width, height]);
      const { format, hasAlpha, ...picture } = await sharp(file.bytes).metadata();
      assert.deepEqual([format, hasAlpha, picture.width, picture.height], ['png', false, width, height]);
      const { channels } = await sharp(file.bytes).stats();
      assert.ok(
        channels.some(({ stdev }) => stdev > 4),
        'the picture is not one flat colour',
      );
      const thumbnail = await sharp(file.thumbnail.bytes).metadata();
      assert.deepEqual(
        [thumbnail.format, thumbnail.width, thumbnail.height],
        ['webp', file.thumbnail.width, file.thumbnail.height],
      );
      assert.ok(Math.max(thumbnail.width, thumbnail.height) <= 512);
    }
  });

  test(`${engine.id}/${engineModel} gives the same bytes for the same request`, async () => {
    const [one] = await collect(engine, { engineModel });
    const [other] = await collect(engine, { engineModel });
    assert.ok(
      one && other && one.bytes.equals(other.bytes) && one.thumbnail.bytes.equals(other.thumbnail.bytes),
    );
  });
}

function testOutputs(engine: Engine, model: string): void {
  test(`${engine.id} makes as many outputs as asked, in order, all different`, async () => {
    const files = await collect(engine, { engineModel: model, outputs: 3 });
    assert.deepEqual(
      files.map(({ index }) => index),
      [0, 1, 2],
    );
    assert.equal(new Set(files.map(({ bytes }) => bytes.toString('base64'))).size, 3);
  });

  test(`${engine.id} keeps a thumbnail's longer side at 512 pixels`, async () => {
    const [file] = await collect(engine, { engineModel: model, width: 1024, height: 640 });
    assert.deepEqual([file?.thumbnail.width, file?.thumbnail.height], [512, 320]);
  });

  test(`${engine.id} stops with the signal's reason, before and between outputs`, async () => {
    const before = AbortSignal.abort(new Error('stopped before'));
    await assert.rejects(collect(engine, { engineModel: model }, before), { message: 'stopped before' });
    const controller = new AbortController();
    const reached: number[] = [];
    await assert.rejects(
      async () => {
        for await (const { index } of engine.render(
          request({ engineModel: model, outputs: 4 }),
          controller.signal,
        )) {
          reached.push(index);
          controller.abort(new Error('stopped between'));
        }
      },
      { message: 'stopped between' },
    );
    assert.deepEqual(reached, [0]);
  });

  test(`${engine.id} refuses an unknown model and an impossible size with a code`, async () => {
    await assert.rejects(collect(engine, { engineModel: 'no-such-model' }), hasCode('unknown_model'));
    await assert.rejects(collect(engine, { engineModel: model, width: 0 }), hasCode('invalid_request'));
  });
}

function testFiles(engine: Engine, engineModel: string): void {
  test(`${engine.id} edits an image in its own size and in another, the same each time`, async () => {
    const image = await makeImageFile('source.png', 90, 70);
    const edit = {
      ...request({ engineModel }),
      kind: 'image_edit',
      image,
      strength: 0.5,
      inpaint: null,
    } as const;
    const [own] = await all(engine, { ...edit, size: null });
    const [again] = await all(engine, { ...edit, size: null });
    const [other] = await all(engine, { ...edit, size: { width: 64, height: 128 } });
    assert.ok(own?.contentType === 'image/png' && again?.contentType === 'image/png');
    assert.deepEqual([own.width, own.height, other?.width, other?.height], [90, 70, 64, 128]);
    assert.deepEqual((await sharp(own.bytes).metadata()).width, 90);
    assert.ok(own.bytes.equals(again.bytes));
  });

  test(`${engine.id} videos, and goes on with a video; what it made is there until the next is asked for`, async () => {
    const videoFile = join(folder, 'video.mp4');
    const [video] = await all(engine, requestOf('video', engineModel), async (file) => {
      assert.ok(file.contentType === 'video/mp4');
      await writeFile(videoFile, await readFile(file.path));
    });
    const extend = { ...requestOf('video_extend', engineModel), video: { path: videoFile } } as EngineRequest;
    const [further] = await all(engine, extend);
    for (const file of [video, further]) {
      assert.ok(file?.contentType === 'video/mp4');
      assert.deepEqual([file.width, file.height, file.durationSeconds, file.index], [96, 64, 0.5, 0]);
      await assert.rejects(access(file.path), { code: 'ENOENT' });
      const { format, width, height } = await sharp(file.thumbnail.bytes).metadata();
      assert.deepEqual([format, width, height], ['webp', 96, 64]);
    }
    assert.equal((await readFile(videoFile)).subarray(4, 8).toString(), 'ftyp');
  });

  test(`${engine.id} refuses what it cannot read and stops when told, whatever the kind`, async () => {
    await writeFile(join(folder, 'broken'), 'neither a picture nor a video');
    for (const kind of engine.kinds) {
      const asked = requestOf(kind, engineModel);
      await assert.rejects(
        all(engine, asked, undefined, AbortSignal.abort(new Error('stopped'))),
        { message: 'stopped' },
        kind,
      );
      await assert.rejects(all(engine, { ...asked, engineModel: 'no-such-model' }), hasCode('unknown_model'));
      const broken = { ...asked, references: [{ path: join(folder, 'broken') }] };
      if (kind !== 'image') await assert.rejects(all(engine, broken), hasCode('unreadable_reference'), kind);
    }
  });
}

/** Returns a request of this kind whose files cannot be read. */
function requestOf(kind: EngineKind, engineModel: string): EngineRequest {
  const broken = { path: join(folder, 'broken') };
  const plain = request({ engineModel, width: 96, height: 64 });
  switch (kind) {
    case 'image':
      return plain;
    case 'image_edit':
      return { ...plain, kind, image: broken, size: null, strength: 0.5, inpaint: null };
    case 'video': {
      const files = { startImage: null, endImage: null, audios: [], sourceVideo: null };
      return { ...plain, kind, durationSeconds: 0.5, ...files };
    }
    case 'video_extend':
      return { ...plain, kind, video: broken, durationSeconds: 0.5, shortSide: null };
  }
}

async function makeImageFile(name: string, width: number, height: number): Promise<{ path: string }> {
  const path = join(folder, name);
  await sharp({ create: { width, height, channels: 3, background: '#c08040' } })
    .png()
    .toFile(path);
  return { path };
}

async function all(
  engine: Engine,
  asked: EngineRequest,
  look?: (file: RenderedFile) => Promise<void>,
  signal = AbortSignal.timeout(60_000),
): Promise<RenderedFile[]> {
  const files: RenderedFile[] = [];
  for await (const file of engine.render(asked, signal)) {
    await look?.(file);
    files.push(file);
  }
  return files;
}

const hasCode = (code: string) => (error: unknown) => error instanceof EngineError && error.code === code;

function request(change: Partial<ImageRequest> & { engineModel: string }): ImageRequest {
  return {
    kind: 'image',
    prompt: 'a quiet harbour under a red evening sky',
    // The smallest size that is enough for these checks. People judge the look at full size.
    width: 128,
    height: 128,
    seed: 42n,
    parameters: { options: { seconds: 0 } },
    references: [],
    outputs: 1,
    ...change,
  };
}

async function collect(
  engine: Engine,
  change: Partial<ImageRequest> & { engineModel: string },
  signal = AbortSignal.timeout(60_000),
): Promise<RenderedImage[]> {
  const files: RenderedImage[] = [];
  for await (const file of engine.render(request(change), signal)) {
    assert.ok(file.contentType === 'image/png');
    files.push(file);
  }
  return files;
}
