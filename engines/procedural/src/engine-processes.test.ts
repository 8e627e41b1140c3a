import assert from 'node:assert/strict';
import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { EngineError, type ImageRequest, type VideoRequest } from '@renderkit/engine-kit/engine.ts';
import { openProceduralProcesses } from './engine.ts';

const request = (more: Partial<ImageRequest> = {}): ImageRequest => ({
  kind: 'image',
  engineModel: 'atelier',
  prompt: 'a lake at dawn',
  width: 128,
  height: 128,
  seed: 1,
  parameters: {},
  references: [],
  outputs: 2,
  ...more,
});

const never = new AbortController().signal;

test('draws elsewhere, output by output; an error keeps its code; an aborted render makes room', async () => {
  await using processes = openProceduralProcesses(1);
  const draw = (more: Partial<ImageRequest>, signal = never) =>
    Array.fromAsync(processes.engine.render(request(more), signal));
  const files = await draw({});
  assert.deepEqual(
    files.map(({ index, width, contentType }) => [index, width, contentType]),
    [
      [0, 128, 'image/png'],
      [1, 128, 'image/png'],
    ],
  );
  assert.ok(files.every((file) => file.contentType === 'image/png' && Buffer.isBuffer(file.bytes)));
  assert.equal(files[0]?.thumbnail.bytes.subarray(8, 12).toString(), 'WEBP');
  await assert.rejects(
    draw({ engineModel: 'none' }),
    (error) => error instanceof EngineError && error.code === 'unknown_model',
  );
  const abort = new AbortController();
  const aborted = draw({ width: 1024, height: 1024 }, abort.signal);
  const others = [draw({}), draw({ outputs: 1 })];
  abort.abort(new Error('enough'));
  await assert.rejects(aborted, /enough/);
  assert.deepEqual(
    (await Promise.all(others)).map((made) => made.length),
    [2, 1],
  );
});

test('a video lies on disk until the next is asked for; an image does not wait for it; nothing is left', async () => {
  let scratch = '';
  {
    await using processes = openProceduralProcesses(1);
    const video: VideoRequest = {
      ...request(),
      kind: 'video',
      durationSeconds: 0.5,
      startImage: null,
      endImage: null,
      audios: [],
      sourceVideo: null,
    };
    const drawn = Promise.withResolvers<void>();
    const ended: string[] = [];
    const rendering = (async () => {
      const sizes: number[] = [];
      let last = '';
      for await (const file of processes.engine.render(video, never)) {
        assert.ok(file.contentType === 'video/mp4');
        sizes.push((await readFile(file.path)).length);
        last = file.path;
        scratch = path.dirname(path.dirname(file.path));
        // Until this point no other file of the video exists, so the video cannot have ended.
        await drawn.promise;
      }
      await assert.rejects(readFile(last), { code: 'ENOENT' });
      ended.push('video');
      return sizes;
    })();
    const image = Array.fromAsync(processes.engine.render(request({ outputs: 1 }), never));
    const tooLong = sleep(60_000, undefined, { ref: false }).then(() =>
      assert.fail('the image waits for the video'),
    );
    await Promise.race([image, tooLong]).finally(drawn.resolve);
    ended.push('image');
    assert.ok((await rendering).every((size) => size > 1000));
    assert.deepEqual(ended, ['image', 'video']);
  }
  await assert.rejects(access(scratch), { code: 'ENOENT' });
});
