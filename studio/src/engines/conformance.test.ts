import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { EngineError, type Engine, type ImageRequest, type RenderedImage } from './contract.ts';
import { createProceduralEngine } from './procedural/engine.ts';

/** Every engine stands in this list; what follows is what a render worker relies on. */
const engines: readonly Engine[] = [createProceduralEngine()];

for (const engine of engines) {
  for (const engineModel of engine.models) {
    test(`${engine.id}/${engineModel} renders a decodable, opaque PNG of the asked size with a thumbnail`, async () => {
      for (const [width, height] of [
        [256, 256],
        [320, 256],
        [256, 520],
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

  test(`${engine.id} makes as many outputs as asked, in order, all different`, async () => {
    const files = await collect(engine, { outputs: 3 });
    assert.deepEqual(
      files.map(({ index }) => index),
      [0, 1, 2],
    );
    assert.equal(new Set(files.map(({ bytes }) => bytes.toString('base64'))).size, 3);
  });

  test(`${engine.id} keeps a thumbnail's longer side at 512 pixels`, async () => {
    const [file] = await collect(engine, { width: 1024, height: 640 });
    assert.deepEqual([file?.thumbnail.width, file?.thumbnail.height], [512, 320]);
  });

  test(`${engine.id} stops with the signal's reason, before and between outputs`, async () => {
    const before = AbortSignal.abort(new Error('stopped before'));
    await assert.rejects(collect(engine, {}, before), { message: 'stopped before' });
    const controller = new AbortController();
    const reached: number[] = [];
    await assert.rejects(
      async () => {
        for await (const { index } of engine.render(request(engine, { outputs: 4 }), controller.signal)) {
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
    await assert.rejects(collect(engine, { width: 0 }), hasCode('invalid_request'));
  });
}

const hasCode = (code: string) => (error: unknown) => error instanceof EngineError && error.code === code;

function request(engine: Engine, change: Partial<ImageRequest>): ImageRequest {
  return {
    kind: 'image',
    engineModel: engine.models[0] ?? '',
    prompt: 'a quiet harbour under a red evening sky',
    width: 256,
    height: 256,
    seed: 42n,
    parameters: {},
    references: [],
    outputs: 1,
    ...change,
  };
}

async function collect(
  engine: Engine,
  change: Partial<ImageRequest>,
  signal = AbortSignal.timeout(60_000),
): Promise<RenderedImage[]> {
  const files: RenderedImage[] = [];
  for await (const file of engine.render(request(engine, change), signal)) {
    assert.ok(file.contentType === 'image/png');
    files.push(file);
  }
  return files;
}
