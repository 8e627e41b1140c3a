import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toYuv, yuvBytes } from './yuv-frame.ts';

const size = { width: 4, height: 2 };

/** Returns a frame of 2 × 2 pixels of one colour, and to the right 2 × 2 pixels of another. */
function frame(left: readonly number[], right: readonly number[]): number[] {
  const row = [left, left, right, right].flatMap((colour) => [...colour, 255]);
  return [...row, ...row];
}

// ITU-R BT.601, 8 bits.
const colours: Record<string, { rgb: number[]; yuv: number[] }> = {
  black: { rgb: [0, 0, 0], yuv: [16, 128, 128] },
  white: { rgb: [255, 255, 255], yuv: [235, 128, 128] },
  grey: { rgb: [128, 128, 128], yuv: [126, 128, 128] },
  red: { rgb: [255, 0, 0], yuv: [81, 90, 240] },
  green: { rgb: [0, 255, 0], yuv: [145, 54, 34] },
  blue: { rgb: [0, 0, 255], yuv: [41, 240, 110] },
};

test('Colours become those of BT.601 in the range of video', () => {
  for (const [name, { rgb, yuv }] of Object.entries(colours)) {
    const out = toYuv(frame(rgb, [0, 0, 0]), size, Buffer.alloc(yuvBytes(size)));
    const [y, u, v] = yuv;
    assert.deepEqual([...out], [y, y, 16, 16, y, y, 16, 16, u, 128, v, 128], name);
  }
});

test('Four pixels share the mean of their colours', () => {
  const row = [255, 0, 0, 255, 0, 0, 255, 255];
  const out = toYuv([...row, ...row], { width: 2, height: 2 }, Buffer.alloc(6));
  assert.deepEqual([...out.subarray(0, 4)], [81, 41, 81, 41]);
  assert.deepEqual([...out.subarray(4)], [165, 175]);
});
