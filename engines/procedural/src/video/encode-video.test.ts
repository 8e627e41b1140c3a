import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { encodeVideo } from './encode-video.ts';
import { decode, psnr } from './testing/measure-video.ts';

const size = { width: 96, height: 64 };

/** Draws colours that would differ with a wrong matrix or range. */
function frameAt(index: number) {
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext('2d');
  for (const [at, colour] of ['#e02020', '#20c040', '#2040e0', '#fff', '#000', '#c0a080'].entries()) {
    context.fillStyle = colour;
    context.fillRect(at * 16, 0, 16, size.height);
  }
  context.fillStyle = '#808080';
  context.fillRect(index * 4, 20, 8, 8);
  return canvas;
}

test('Frames that wait as JPEG become the same video as those that wait as they are', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'encode-video-test-'));
  try {
    const plan = { ...size, frames: 12, audios: [], audioOf: null };
    const drawing = { show: () => undefined, encoding: () => undefined };
    const signal = AbortSignal.timeout(60_000);
    const drawn = path.join(directory, 'drawn.png');
    await writeFile(drawn, await frameAt(0).encode('png'));
    for (const maxPlainBytes of [0, 1_000_000]) {
      const file = await encodeVideo(plan, frameAt, { directory, signal, drawing, maxPlainBytes });
      const frames = await decode({ path: file }, size.width, size.height);
      assert.equal(frames.length, 12);
      const likeness = await psnr(frames[0], { path: drawn }, size.width, size.height);
      assert.ok(likeness >= 30, `${maxPlainBytes}: ${likeness}`);
      const waited = await readFile(path.join(directory, 'frames.bin'));
      assert.equal(waited.readUInt16BE(0) === 0xffd8, maxPlainBytes === 0, 'a JPEG begins so');
    }
  } finally {
    await rm(directory, { recursive: true });
  }
});
