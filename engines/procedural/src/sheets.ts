import { createCanvas, type Canvas } from '@napi-rs/canvas';
import { clamp, css, mix, smoothstep } from './colour.ts';
import { createStack, textureStack } from './paper.ts';
import { enlarge, fromCanvas, toCanvas, type Raster } from './raster.ts';
import type { Scene } from './scene.ts';

/** Longer side of the picture that the scissors follow, in pixels: smaller forms are not worth a cut. */
const PATTERN_SIDE = 220;
const SHEETS = { fewest: 4, more: 4 };

/** A picture as a stack of cut sheets, the lightest at the back, each darker one casting its shadow. */
export function laySheets(picture: Raster, scene: Scene): Canvas {
  const { canvas, stack } = createStack(scene);
  const pattern = enlarge(simplify(picture), scene.width, scene.height);
  const tones = tonesOf(pattern);
  const count = SHEETS.fewest + Math.round(scene.look.detail * SHEETS.more);
  const steps = quantiles(tones, count);
  const { context } = stack;
  const drop = scene.unit * (5 + scene.look.weight * 4);
  const sheet = createCanvas(scene.width, scene.height);
  for (let level = count - 1; level >= 0; level--) {
    const [from, to] = [steps[level] ?? 0, steps[level + 1] ?? 1];
    // The rearmost sheet is whole.
    cutSheet(sheet, pattern, tones, level === count - 1 ? 2 : to, (from + to) / 2);
    context.save();
    context.shadowColor = css(mix(scene.palette.dark, { l: 0.05, c: 0.02, h: 280 }, 0.4), 0.42);
    context.shadowBlur = drop * 2;
    context.shadowOffsetX = (scene.sun.x < 0.5 ? 1 : -1) * drop * 0.3;
    context.shadowOffsetY = drop * 0.5;
    context.drawImage(sheet, 0, 0);
    context.restore();
  }
  textureStack(stack);
  return canvas;
}

function simplify(picture: Raster): Raster {
  const share = Math.min(1, PATTERN_SIDE / Math.max(picture.width, picture.height));
  const small = createCanvas(
    Math.max(8, Math.round(picture.width * share)),
    Math.max(8, Math.round(picture.height * share)),
  );
  const context = small.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(toCanvas(picture).canvas, 0, 0, small.width, small.height);
  const soft = createCanvas(small.width, small.height);
  const softened = soft.getContext('2d');
  softened.drawImage(small, 0, 0);
  softened.filter = 'blur(1.6px)';
  softened.drawImage(small, 0, 0);
  return fromCanvas(soft);
}

function tonesOf({ data, width, height }: Raster): Float32Array {
  const tones = new Float32Array(width * height);
  for (let row = 0; row < height; row++) toneRow(data, tones, row * width, width);
  return tones;
}

function toneRow(data: Float32Array, tones: Float32Array, first: number, count: number): void {
  for (let pixel = first, index = first * 3; pixel < first + count; pixel++, index += 3)
    tones[pixel] = (data[index] ?? 0) * 0.3 + (data[index + 1] ?? 0) * 0.55 + (data[index + 2] ?? 0) * 0.15;
}

/** Tones between which lie equal shares of the picture, drawn half-way towards even steps. */
function quantiles(tones: Float32Array, count: number): number[] {
  const sample = new Float32Array(4096).map(
    (_, index) => tones[Math.floor((index / 4096) * tones.length)] ?? 0,
  );
  sample.sort();
  const low = sample[0] ?? 0;
  const high = sample.at(-1) ?? 1;
  return Array.from({ length: count + 1 }, (_, step) => {
    if (step === 0 || step === count) return step === 0 ? low : high;
    const even = low + ((high - low) * step) / count;
    return ((sample[Math.floor((step / count) * 4095)] ?? 0) + even) / 2;
  });
}

/** All that is darker than `limit`, in one tone and the hues of the place. */
function cutSheet(sheet: Canvas, pattern: Raster, tones: Float32Array, limit: number, middle: number): void {
  const context = sheet.getContext('2d');
  const image = context.createImageData(sheet.width, sheet.height);
  const tone = clamp(middle, 0.06, 0.94);
  for (let row = 0; row < sheet.height; row++)
    cutRow(image.data, pattern.data, tones, row * sheet.width, sheet.width, limit, tone);
  context.putImageData(image, 0, 0);
}

function cutRow(
  out: Uint8ClampedArray,
  data: Float32Array,
  tones: Float32Array,
  first: number,
  count: number,
  limit: number,
  tone: number,
): void {
  for (let pixel = first; pixel < first + count; pixel++) {
    const here = tones[pixel] ?? 0;
    const cover = 1 - smoothstep(limit - 0.004, limit + 0.004, here);
    if (cover <= 0) {
      out[pixel * 4 + 3] = 0;
      continue;
    }
    const gain = (tone / Math.max(0.04, here)) * 255;
    out[pixel * 4] = (data[pixel * 3] ?? 0) * gain;
    out[pixel * 4 + 1] = (data[pixel * 3 + 1] ?? 0) * gain;
    out[pixel * 4 + 2] = (data[pixel * 3 + 2] ?? 0) * gain;
    out[pixel * 4 + 3] = cover * 255;
  }
}
