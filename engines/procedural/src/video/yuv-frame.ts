import type { Size } from '@renderkit/engine-kit/engine.ts';

/** Bytes of one frame in YUV 4:2:0. The sides are even. */
export function yuvBytes({ width, height }: Size): number {
  return (width * height * 3) / 2;
}

/**
 * Writes a frame of RGBA, opaque, as planar YUV 4:2:0 by BT.601 in the range of video (16–235), each colour for the middle
 * of its four pixels: what the encoder takes without a filter. Returns `out`, which has `yuvBytes` bytes.
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

// In 1/65536, with a half for rounding and the offset of the range. A function of its own, so that it stays compiled.
function rowsToYuv(
  rgba: ArrayLike<number>,
  first: number,
  width: number,
  out: Uint8Array,
  blue: number,
  red: number,
): void {
  for (let x = 0; x < width; x += 2) {
    let r = 0;
    let g = 0;
    let b = 0;
    for (let corner = 0; corner < 4; corner++) {
      const pixel = first + x + (corner & 1) + (corner >> 1) * width;
      const pixelRed = rgba[pixel * 4] as number;
      const pixelGreen = rgba[pixel * 4 + 1] as number;
      const pixelBlue = rgba[pixel * 4 + 2] as number;
      out[pixel] = (16_829 * pixelRed + 33_039 * pixelGreen + 6_416 * pixelBlue + 1_081_344) >> 16;
      r += pixelRed;
      g += pixelGreen;
      b += pixelBlue;
    }
    out[blue + x / 2] = (-9_714 * r - 19_071 * g + 28_785 * b + 33_685_504) >> 18;
    out[red + x / 2] = (28_785 * r - 24_103 * g - 4_682 * b + 33_685_504) >> 18;
  }
}
