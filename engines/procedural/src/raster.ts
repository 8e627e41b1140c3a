import { createCanvas, type Canvas, type SKRSContext2D } from '@napi-rs/canvas';

/**
 * Pixels as floats: sRGB 0–1, three per pixel, row by row. Floats can hold values between the 256 steps of a screen.
 */
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

/** Samples a field bilinearly. `x` and `y` are 0–1; outside, the edge is repeated. */
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

/**
 * Enlarges a low-resolution raster smoothly: first along the columns into one row, then along this row. The caller
 * knows that all rows of the result from row `same` on are equal.
 */
export function enlarge(source: Raster, width: number, height: number, same = height): Raster {
  if (source.width === width && source.height === height) return source;
  const result = createRaster(width, height);
  const { data } = source;
  const out = result.data;
  const stride = source.width * 3;
  const line = new Float32Array(stride + 3);
  const starts = new Int32Array(width);
  const shares = new Float32Array(width);
  for (let x = 0; x < width; x++) {
    const fx = Math.min(Math.max(((x + 0.5) * source.width) / width - 0.5, 0), source.width - 1);
    starts[x] = Math.floor(fx) * 3;
    shares[x] = fx - Math.floor(fx);
  }
  const last = Math.min(height, same + 1);
  for (let y = 0; y < last; y++) {
    const fy = Math.min(Math.max(((y + 0.5) * source.height) / height - 0.5, 0), source.height - 1);
    const top = Math.floor(fy) * stride;
    blendRows(data, top, Math.min(top + stride, data.length - stride), fy - Math.floor(fy), line, stride);
    stretchRow(line, starts, shares, out, y * width * 3);
  }
  for (let y = last; y < height; y++) out.copyWithin(y * width * 3, (last - 1) * width * 3, last * width * 3);
  return result;
}

// Loops over a row are separate functions: a function that is called a thousand times per picture stays compiled, but a
// loop inside a loop is compiled again for each picture.

function blendRows(
  data: Float32Array,
  top: number,
  low: number,
  share: number,
  line: Float32Array,
  stride: number,
): void {
  for (let i = 0; i < stride; i++) {
    const above = data[top + i] ?? 0;
    line[i] = above + ((data[low + i] ?? 0) - above) * share;
  }
  for (let i = 0; i < 3; i++) line[stride + i] = line[stride - 3 + i] ?? 0;
}

function stretchRow(
  line: Float32Array,
  starts: Int32Array,
  shares: Float32Array,
  out: Float32Array,
  from: number,
): void {
  for (let x = 0, o = from; x < starts.length; x++, o += 3) {
    const left = starts[x] ?? 0;
    const u = shares[x] ?? 0;
    const red = line[left] ?? 0;
    const green = line[left + 1] ?? 0;
    const blue = line[left + 2] ?? 0;
    out[o] = red + ((line[left + 3] ?? 0) - red) * u;
    out[o + 1] = green + ((line[left + 4] ?? 0) - green) * u;
    out[o + 2] = blue + ((line[left + 5] ?? 0) - blue) * u;
  }
}

/** Scales a raster down to `longSide` by averaging whole cells, and never enlarges it. Returns a new raster. */
export function shrinkRaster(source: Raster, longSide: number): Raster {
  const share = Math.min(1, longSide / Math.max(source.width, source.height));
  const width = Math.max(1, Math.round(source.width * share));
  const height = Math.max(1, Math.round(source.height * share));
  const result = createRaster(width, height);
  for (let row = 0; row < height; row++) {
    const top = Math.floor((row * source.height) / height);
    const bottom = Math.max(top + 1, Math.floor(((row + 1) * source.height) / height));
    averageRow(source, result, row, top, bottom);
  }
  return result;
}

function averageRow(source: Raster, result: Raster, row: number, top: number, bottom: number): void {
  for (let column = 0, to = row * result.width * 3; column < result.width; column++, to += 3) {
    const left = Math.floor((column * source.width) / result.width);
    const right = Math.max(left + 1, Math.floor(((column + 1) * source.width) / result.width));
    const cells = (bottom - top) * (right - left);
    let red = 0;
    let green = 0;
    let blue = 0;
    for (let y = top; y < bottom; y++) {
      for (let index = (y * source.width + left) * 3; index < (y * source.width + right) * 3; index += 3) {
        red += source.data[index] ?? 0;
        green += source.data[index + 1] ?? 0;
        blue += source.data[index + 2] ?? 0;
      }
    }
    result.data[to] = red / cells;
    result.data[to + 1] = green / cells;
    result.data[to + 2] = blue / cells;
  }
}

/** Draws a raster on a canvas, with half a step of ordered noise, so that a slow gradient shows no steps. */
export function toCanvas(raster: Raster): { canvas: Canvas; context: SKRSContext2D } {
  const { width, height, data } = raster;
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const image = context.createImageData(width, height);
  let noise = 0x2545f491;
  for (let row = 0; row < height; row++) noise = ditherRow(data, image.data, row * width, width, noise);
  context.putImageData(image, 0, 0);
  return { canvas, context };
}

/** Dithers one row. Returns the noise state after the last pixel. */
function ditherRow(
  data: Float32Array,
  bytes: Uint8ClampedArray,
  first: number,
  count: number,
  noise: number,
): number {
  for (
    let pixel = first, from = first * 3, to = first * 4;
    pixel < first + count;
    pixel++, from += 3, to += 4
  ) {
    noise = (Math.imul(noise, 1664525) + 1013904223) | 0;
    const dither = (noise >>> 8) / 16777216 - 0.5;
    bytes[to] = (data[from] ?? 0) * 255 + dither;
    bytes[to + 1] = (data[from + 1] ?? 0) * 255 + dither;
    bytes[to + 2] = (data[from + 2] ?? 0) * 255 + dither;
    bytes[to + 3] = 255;
  }
  return noise;
}

/** Reads a canvas into a raster, for styles that first draw on a canvas and then shade pixels. */
export function fromCanvas(canvas: Canvas): Raster {
  const { width, height } = canvas;
  const bytes = canvas.getContext('2d').getImageData(0, 0, width, height).data;
  const raster = createRaster(width, height);
  for (let row = 0; row < height; row++) readRow(bytes, raster.data, row * width, width);
  return raster;
}

function readRow(bytes: Uint8ClampedArray, data: Float32Array, first: number, count: number): void {
  for (let from = first * 4, to = first * 3; to < (first + count) * 3; from += 4, to += 3) {
    data[to] = (bytes[from] ?? 0) / 255;
    data[to + 1] = (bytes[from + 1] ?? 0) / 255;
    data[to + 2] = (bytes[from + 2] ?? 0) / 255;
  }
}
