import type { Canvas } from '@napi-rs/canvas';
import type { Bitmap } from './encode.ts';
import type { Brush } from './look.ts';
import type { Random } from './random.ts';

export interface Finish {
  /** 0 = none; about 1 for video. */
  readonly grain: number;
  /** 0–1: how dark the corners become. */
  readonly vignette: number;
  /** 1 keeps the contrast unchanged. */
  readonly contrast: number;
  /** Decides how the grain clusters. */
  readonly brush: Brush;
  readonly random: Random;
}

/** Number of grain values as a power of two. The shift below takes the same number of bits of the seed. */
const GRAIN_BITS = 13;

/** Applies the last step to a picture: contrast, dark corners, grain. Drops alpha. */
export function finishCanvas(canvas: Canvas, finish: Finish): Bitmap {
  const { width, height } = canvas;
  const pixels = canvas.getContext('2d').getImageData(0, 0, width, height).data;
  // The array itself clamps and rounds the values.
  const bytes = new Uint8ClampedArray(width * height * 3);
  const curve = contrastCurve(finish.contrast);
  const random = finish.random.fork('grain');
  const grain = new Float32Array(1 << GRAIN_BITS);
  for (let index = 0; index < grain.length; index++) grain[index] = grainOf(finish, random);
  const across = new Float32Array(width);
  for (let column = 0; column < width; column++) across[column] = ((column + 0.5) / width - 0.5) ** 2;
  const video: Video = { pixels, bytes, curve, grain, across, vignette: finish.vignette };
  let seed = Math.floor(random.next() * 4294967296) | 1;
  for (let row = 0; row < height; row++) {
    seed = developRow(video, row * width, ((row + 0.5) / height - 0.5) ** 2, seed);
  }
  return { width, height, bytes: Buffer.from(bytes.buffer) };
}

interface Video {
  readonly pixels: Uint8ClampedArray;
  readonly bytes: Uint8ClampedArray;
  readonly curve: Float32Array;
  readonly grain: Float32Array;
  /** Squared distance from the middle, per column. */
  readonly across: Float32Array;
  readonly vignette: number;
}

/** Develops one row. Returns the seed after the last pixel. */
function developRow(
  { pixels, bytes, curve, grain, across, vignette }: Video,
  first: number,
  down: number,
  seed: number,
): number {
  const shift = 32 - GRAIN_BITS;
  for (
    let column = 0, from = first * 4, to = first * 3;
    column < across.length;
    column++, from += 4, to += 3
  ) {
    const edge = (across[column] ?? 0) + down;
    const dim = 1 - vignette * edge * edge * 3.6;
    seed = (Math.imul(seed, 1664525) + 1013904223) | 0;
    const green = curve[pixels[from + 1] ?? 0] ?? 0;
    // Video shows its grain most in the middle tones.
    const tone = green * 0.00392;
    const speck = (grain[seed >>> shift] ?? 0) * (0.45 + 2.2 * tone * (1 - tone));
    bytes[to] = (curve[pixels[from] ?? 0] ?? 0) * dim + speck;
    bytes[to + 1] = green * dim + speck;
    bytes[to + 2] = (curve[pixels[from + 2] ?? 0] ?? 0) * dim + speck;
  }
  return seed;
}

/** Returns one grain value: even grain for a smooth brush, rare strong specks for a stippling brush. */
function grainOf({ grain, brush }: Finish, random: Random): number {
  const speck = random.gaussian() * grain;
  if (brush === 'smooth') return speck * 1.2;
  if (brush === 'stipple') return random.chance(0.16) ? speck * 7 : speck;
  return speck * (brush === 'knife' ? 3 : 2.3);
}

/** Returns an S-shaped curve through black, middle grey and white. */
function contrastCurve(contrast: number): Float32Array {
  const curve = new Float32Array(256);
  for (let level = 0; level < 256; level++) {
    const t = level / 255;
    const bend = t < 0.5 ? 0.5 * (2 * t) ** contrast : 1 - 0.5 * (2 - 2 * t) ** contrast;
    curve[level] = bend * 255;
  }
  return curve;
}
