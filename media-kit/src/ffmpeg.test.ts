import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { ffmpeg, mjpegCodec } from './ffmpeg.ts';
import type { FfmpegOptions } from './ffmpeg-run.ts';
import { MediaToolError, type MediaToolErrorKind } from './media-tool-error.ts';

let directory = '';
before(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'renderkit-ffmpeg-test-'));
  // With a separate directory, everything left behind is from this test: other tests use the common directory.
  process.env['TMPDIR'] = inDirectory('temporary');
  await mkdir(inDirectory('temporary'));
});
after(async () => rm(directory, { recursive: true, force: true }));

const inDirectory = (name: string) => path.join(directory, name);
const never = new AbortController().signal;
const options = (more: Partial<FfmpegOptions>): FfmpegOptions => ({
  inputs: {},
  outputs: {},
  signal: never,
  timeoutMs: 60_000,
  maxOutputBytes: 10_000_000,
  ...more,
});
const kindIs = (kind: MediaToolErrorKind) => (error: unknown) =>
  error instanceof MediaToolError && error.kind === kind;
const hasSystem = await ffmpeg(['-version'], options({ executor: 'system' })).then(
  () => true,
  (error: unknown) => !kindIs('unavailable')(error),
);
const executors = [
  { executor: 'wasm', skip: false },
  { executor: 'system', skip: hasSystem ? false : 'this machine has no ffmpeg' },
] as const;

const source = (seconds: number) => ['-f', 'lavfi', '-i', `testsrc=size=128x96:rate=8:duration=${seconds}`];
const orphans = async () => readdir(inDirectory('temporary'));

for (const { executor, skip } of executors) {
  test(`${executor}: makes a video and reads it again`, { skip }, async () => {
    const made = inDirectory(`${executor}.mp4`);
    const again = inDirectory(`${executor}.png`);
    await ffmpeg(
      [...source(1), '-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-movflags', '+faststart', 'out.mp4'],
      options({ executor, outputs: { 'out.mp4': made } }),
    );
    assert.equal((await readFile(made)).subarray(4, 8).toString(), 'ftyp');
    await ffmpeg(
      ['-f', 'mov', '-i', 'in.mp4', '-frames:v', '1', 'out.png'],
      options({ executor, inputs: { 'in.mp4': made }, outputs: { 'out.png': again } }),
    );
    assert.equal((await readFile(again)).subarray(1, 4).toString(), 'PNG');
  });

  test(`${executor}: writes JPEG frames whose sides are no multiples of 16`, { skip }, async () => {
    for (const size of ['136x104', '137x103', '138x104']) {
      const made = inDirectory(`${executor}-${size}.mjpeg`);
      const frames = ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=24:duration=1`];
      await ffmpeg(
        [...frames, '-pix_fmt', 'yuvj422p', ...mjpegCodec, '-f', 'mjpeg', 'out.mjpeg'],
        options({ executor, outputs: { 'out.mjpeg': made } }),
      );
      const bytes = await readFile(made);
      assert.equal(bytes.toString('hex', 0, 2) + bytes.toString('hex', bytes.length - 2), 'ffd8ffd9');
    }
  });

  test(`${executor}: what goes wrong has a kind, and leaves nothing behind`, { skip }, async () => {
    const out = inDirectory(`${executor}-failed.mp4`);
    const run = (args: string[], more: Partial<FfmpegOptions> = {}) =>
      ffmpeg(args, options({ executor, outputs: { 'out.mp4': out }, ...more }));
    const bytes = inDirectory('text.mp4');
    await writeFile(bytes, '#EXTM3U\nhttp://127.0.0.1/');
    await assert.rejects(
      run(['-f', 'mov', '-i', 'in.mp4', 'out.mp4'], { inputs: { 'in.mp4': bytes } }),
      kindIs('failed'),
    );
    await assert.rejects(
      run(['-f', 'mov', '-i', 'in.mp4', 'out.mp4'], { inputs: { 'in.mp4': inDirectory('nothing') } }),
      kindIs('failed'),
    );
    await assert.rejects(run(['-i', 'http://127.0.0.1:9/', 'out.mp4']), kindIs('failed'));
    await assert.rejects(run(['-i', '/etc/passwd', 'out.mp4']), kindIs('failed'));
    await assert.rejects(run([...source(1000), 'out.mp4'], { timeoutMs: 1500 }), kindIs('timeout'));
    await assert.rejects(
      run([...source(100), '-c:v', 'rawvideo', '-f', 'avi', 'out.mp4'], { maxOutputBytes: 100_000 }),
      kindIs('output_too_large'),
    );
    await assert.rejects(
      run([...source(1000), 'out.mp4'], { maxMemoryBytes: 30_000_000 }),
      kindIs('out_of_memory'),
    );
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error('enough')), 700);
    await assert.rejects(run([...source(1000), 'out.mp4'], { signal: abort.signal }), (error) => {
      return kindIs('aborted')(error) && ((error as Error).cause as Error).message === 'enough';
    });
    await assert.rejects(
      run(['-f', 'lavfi', '-i', 'testsrc=duration=0.1', '-ss', '5', '-f', 'image2', 'out.mp4']),
      kindIs('failed'),
    );
    await assert.rejects(stat(out), 'an output of a run that failed never appears');
    assert.deepEqual(await orphans(), []);
  });
}

test('both executors give the same images', { skip: !hasSystem && 'no ffmpeg here' }, async () => {
  const made: Buffer[] = [];
  for (const { executor } of executors) {
    const out = inDirectory(`${executor}-same.png`);
    await ffmpeg(
      [...source(1), '-frames:v', '1', 'out.png'],
      options({ executor, outputs: { 'out.png': out } }),
    );
    made.push(await readFile(out));
  }
  assert.deepEqual(made[0], made[1]);
});
