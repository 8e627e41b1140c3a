import type { Size } from '@renderkit/engine-kit/engine.ts';

/** Returns the bytes of one frame in YUV 4:2:0. Its sides are even. */
export function yuvBytes({ width, height }: Size): number {
  return (width * height * 3) / 2;
}

/**
 * Writes an opaque RGBA frame as planar YUV 4:2:0 by BT.601 in the range of video (16–235). Each colour value is the
 * mean of its four pixels. The encoder takes this format without a filter. Returns `out`, which has `yuvBytes` bytes.
 */
export function toYuv<Out extends Uint8Array>(
  rgba: ArrayLike<number>,
  { width, height }: Size,
  out: Out,
): Out {
  const blue = width * height;
  const red = blue + blue / 4;
  for (let y = 0; y < height; y += 2) {
    const colours = (y / 2) * (width / 2);
    rowsToYuv(rgba, y * width, width, out, blue + colours, red + colours);
  }
  return out;
}

// Factors are in 1/65536, with one half for rounding and the offset of the range. This is a separate function, so that
// it stays compiled. The four pixels are written out, because a loop would cost more.
function rowsToYuv(
  rgba: ArrayLike<number>,
  first: number,
  width: number,
  out: Uint8Array,
  blue: number,
  red: number,
): void {
  for (let x = 0; x < width; x += 2) {
    const upper = first + x;
    const lower = upper + width;
    const top = upper * 4;
    const low = lower * 4;
    const r0 = rgba[top] as number;
    const g0 = rgba[top + 1] as number;
    const b0 = rgba[top + 2] as number;
    const r1 = rgba[top + 4] as number;
    const g1 = rgba[top + 5] as number;
    const b1 = rgba[top + 6] as number;
    const r2 = rgba[low] as number;
    const g2 = rgba[low + 1] as number;
    const b2 = rgba[low + 2] as number;
    const r3 = rgba[low + 4] as number;
    const g3 = rgba[low + 5] as number;
    const b3 = rgba[low + 6] as number;
    out[upper] = (16_829 * r0 + 33_039 * g0 + 6_416 * b0 + 1_081_344) >> 16;
    out[upper + 1] = (16_829 * r1 + 33_039 * g1 + 6_416 * b1 + 1_081_344) >> 16;
    out[lower] = (16_829 * r2 + 33_039 * g2 + 6_416 * b2 + 1_081_344) >> 16;
    out[lower + 1] = (16_829 * r3 + 33_039 * g3 + 6_416 * b3 + 1_081_344) >> 16;
    const r = r0 + r1 + r2 + r3;
    const g = g0 + g1 + g2 + g3;
    const b = b0 + b1 + b2 + b3;
    out[blue + x / 2] = (-9_714 * r - 19_071 * g + 28_785 * b + 33_685_504) >> 18;
    out[red + x / 2] = (28_785 * r - 24_103 * g - 4_682 * b + 33_685_504) >> 18;
  }
}
