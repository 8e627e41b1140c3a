import { createCanvas, type Canvas, type SKRSContext2D } from '@napi-rs/canvas';

/** Pixels as floats: sRGB 0–1, three per pixel, row by row. Room for values between the 256 steps of a screen. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly data: Float32Array;
}

export function createRaster(width: number, height: number): Raster {
  return { width, height, data: new Float32Array(width * height * 3) };
}

/** One number per pixel. */
export interface Field {
  readonly width: number;
  readonly height: number;
  readonly data: Float32Array;
}

/** Evaluates a function once per cell; `x` and `y` run over 0–1, cell centres. */
export function createField(width: number, height: number, value: (x: number, y: number) => number): Field {
  const data = new Float32Array(width * height);
  for (let row = 0; row < height; row++) {
    const y = (row + 0.5) / height;
    for (let column = 0; column < width; column++) {
      data[row * width + column] = value((column + 0.5) / width, y);
    }
  }
  return { width, height, data };
}

/** Bilinear; `x` and `y` in 0–1, the edge repeats. */
export function sampleField(field: Field, x: number, y: number): number {
  const { width, height, data } = field;
  const fx = Math.min(Math.max(x * width - 0.5, 0), width - 1.001);
  const fy = Math.min(Math.max(y * height - 0.5, 0), height - 1.001);
  const column = fx | 0;
  const row = fy | 0;
  const u = fx - column;
  const index = row * width + column;
  const below = row + 1 < height ? index + width : index;
  const right = column + 1 < width ? 1 : 0;
  const top = (data[index] ?? 0) * (1 - u) + (data[index + right] ?? 0) * u;
  const low = (data[below] ?? 0) * (1 - u) + (data[below + right] ?? 0) * u;
  return top + (low - top) * (fy - row);
}

/** A low-resolution raster enlarged smoothly. */
export function enlarge(source: Raster, width: number, height: number): Raster {
  if (source.width === width && source.height === height) return source;
  const result = createRaster(width, height);
  const { data } = source;
  const out = result.data;
  const stride = source.width * 3;
  for (let y = 0; y < height; y++) {
    const fy = Math.min(Math.max(((y + 0.5) * source.height) / height - 0.5, 0), source.height - 1.001);
    const row = fy | 0;
    const v = fy - row;
    const top = row * stride;
    const low = Math.min(row + 1, source.height - 1) * stride;
    let o = y * width * 3;
    for (let x = 0; x < width; x++) {
      const fx = Math.min(Math.max(((x + 0.5) * source.width) / width - 0.5, 0), source.width - 1.001);
      const column = fx | 0;
      const u = fx - column;
      const left = column * 3;
      const right = Math.min(column + 1, source.width - 1) * 3;
      const a = (1 - u) * (1 - v);
      const b = u * (1 - v);
      const c = (1 - u) * v;
      const d = u * v;
      for (let channel = 0; channel < 3; channel++) {
        out[o++] =
          (data[top + left + channel] ?? 0) * a +
          (data[top + right + channel] ?? 0) * b +
          (data[low + left + channel] ?? 0) * c +
          (data[low + right + channel] ?? 0) * d;
      }
    }
  }
  return result;
}

/** Onto a canvas, with half a step of ordered noise so that a slow gradient does not show its steps. */
export function toCanvas(raster: Raster): { canvas: Canvas; context: SKRSContext2D } {
  const { width, height, data } = raster;
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const image = context.createImageData(width, height);
  const bytes = image.data;
  let noise = 0x2545f491;
  for (let pixel = 0, from = 0, to = 0; pixel < width * height; pixel++) {
    noise = (Math.imul(noise, 1664525) + 1013904223) | 0;
    const dither = (noise >>> 8) / 16777216 - 0.5;
    bytes[to] = (data[from] ?? 0) * 255 + dither;
    bytes[to + 1] = (data[from + 1] ?? 0) * 255 + dither;
    bytes[to + 2] = (data[from + 2] ?? 0) * 255 + dither;
    bytes[to + 3] = 255;
    from += 3;
    to += 4;
  }
  context.putImageData(image, 0, 0);
  return { canvas, context };
}
