import { EngineError, type MediaFile, type Size } from '@renderkit/engine-kit/engine.ts';
import sharp from 'sharp';
import type { Bitmap } from './encode.ts';
import { createRaster, type Raster } from './raster.ts';

/** Limit for the pixels of an image that is read, independent of its header. */
const MAX_PIXELS = 50_000_000;

/** An image as a viewer shows it: upright, sRGB, 8 bits. */
export interface DecodedImage extends Bitmap {
  /** One byte per pixel; null where the image is opaque. */
  readonly alpha: Buffer | null;
}

/**
 * Returns the size at which an image is shown.
 *
 * @throws EngineError `unreadable_reference`
 */
export async function measureImage({ path }: MediaFile): Promise<Size> {
  return reading(async () => {
    const { width, height, orientation = 1 } = await open(path).metadata();
    return orientation >= 5 ? { width: height, height: width } : { width, height };
  });
}

/**
 * Reads an image. If `size` is given, the image is cut to this ratio and scaled to this size.
 *
 * @throws EngineError
 */
export async function readImage({ path }: MediaFile, size: Size | null): Promise<DecodedImage> {
  return reading(async () => {
    const upright = open(path).autoOrient();
    const sized = size === null ? upright : upright.resize({ ...size, fit: 'cover' });
    const { data, info } = await sized
      .toColourspace('srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    return splitChannels(data, info);
  });
}

const open = (path: string) => sharp(path, { limitInputPixels: MAX_PIXELS, failOn: 'error' });

async function reading<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw new EngineError('unreadable_reference', 'A picture of the request could not be read.', { cause });
  }
}

function splitChannels(
  data: Buffer,
  info: { width: number; height: number; channels: number },
): DecodedImage {
  const { width, height, channels } = info;
  if (channels === 3) return { width, height, bytes: data, alpha: null };
  const pixels = width * height;
  const bytes = Buffer.allocUnsafe(pixels * 3);
  const alpha = channels % 2 === 0 ? Buffer.allocUnsafe(pixels) : null;
  const colour = channels >= 3 ? [0, 1, 2] : [0, 0, 0];
  const [red = 0, green = 0, blue = 0] = colour;
  for (let pixel = 0, from = 0, to = 0; pixel < pixels; pixel++, from += channels, to += 3) {
    bytes[to] = data[from + red] ?? 0;
    bytes[to + 1] = data[from + green] ?? 0;
    bytes[to + 2] = data[from + blue] ?? 0;
    if (alpha) alpha[pixel] = data[from + channels - 1] ?? 0;
  }
  return { width, height, bytes, alpha: alpha?.every((value) => value === 255) ? null : alpha };
}

export function toRaster({ width, height, bytes }: Bitmap): Raster {
  const raster = createRaster(width, height);
  for (let row = 0; row < height; row++) toFloats(bytes, raster.data, row * width * 3, width * 3);
  return raster;
}

function toFloats(bytes: Uint8Array, data: Float32Array, first: number, count: number): void {
  for (let index = first; index < first + count; index++) data[index] = (bytes[index] ?? 0) / 255;
}

export function toBitmap({ width, height, data }: Raster): Bitmap {
  const bytes = new Uint8ClampedArray(data.length);
  for (let row = 0; row < height; row++) toBytes(data, bytes, row * width * 3, width * 3);
  return { width, height, bytes: Buffer.from(bytes.buffer) };
}

function toBytes(data: Float32Array, bytes: Uint8ClampedArray, first: number, count: number): void {
  for (let index = first; index < first + count; index++) bytes[index] = (data[index] ?? 0) * 255;
}
