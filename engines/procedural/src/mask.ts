import { EngineError, type MediaFile, type Size } from '@renderkit/engine-kit/engine.ts';
import sharp from 'sharp';

const MAX_PIXELS = 50_000_000;

/** One byte per pixel: 0 stays, 255 changes. */
export interface Mask extends Size {
  readonly bytes: Buffer;
}

/**
 * Reads a mask for an image of the size `image`, whose ratio it has, brings it to the size `target` as the image was
 * brought, and softens it inwards by `blur` pixels of the target: what is black stays black to the last pixel.
 * @throws EngineError `unreadable_reference`
 */
export async function readMask(file: MediaFile, image: Size, target: Size, blur: number): Promise<Mask> {
  const read = await readGrey(file);
  const fitted = await fit(read, image, target);
  return blur > 0 ? feather(fitted, blur) : fitted;
}

async function readGrey({ path }: MediaFile): Promise<Mask> {
  try {
    const { data, info } = await sharp(path, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
      .removeAlpha()
      .toColourspace('b-w')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height, bytes: data };
  } catch (cause) {
    throw new EngineError('unreadable_reference', 'The mask could not be read.', { cause });
  }
}

async function fit(mask: Mask, image: Size, target: Size): Promise<Mask> {
  const sharpEdged = await resize(mask, image, 'nearest');
  const same = mask.width === image.width && mask.height === image.height;
  const smooth = same ? sharpEdged : await resize(mask, image, 'linear');
  // Between a black and a white pixel of a small mask runs a slope; it may not begin on what is black.
  const larger = image.width > mask.width;
  if (larger)
    for (const [index, value] of sharpEdged.bytes.entries()) if (value === 0) smooth.bytes[index] = 0;
  return target.width === image.width && target.height === image.height
    ? smooth
    : resize(smooth, target, 'linear');
}

async function resize(mask: Mask, size: Size, kernel: 'nearest' | 'linear'): Promise<Mask> {
  const { width, height } = size;
  const fitting = Math.abs(width / height - mask.width / mask.height) < 0.02 ? 'fill' : 'cover';
  const bytes = await grey(mask).resize({ width, height, fit: fitting, kernel }).raw().toBuffer();
  return { width, height, bytes };
}

/** Softens where the change sets in, from its rim inwards; the values themselves are softened too. */
async function feather(mask: Mask, blur: number): Promise<Mask> {
  const sigma = Math.max(0.3, blur);
  const rim = { ...mask, bytes: mask.bytes.map((value) => (value > 0 ? 255 : 0)) as Buffer };
  const [softRim, softMask] = await Promise.all(
    [rim, mask].map((part) => grey(part).blur(sigma).raw().toBuffer()),
  );
  const bytes = Buffer.alloc(mask.bytes.length);
  for (const [index, value] of mask.bytes.entries()) {
    const near = softRim?.[index] ?? 0;
    if (value === 0 || near === 0) continue;
    // Half of the neighbourhood is inside at the rim itself; there the change begins.
    const entry = Math.max(0, (near / 255) * 2 - 1);
    bytes[index] = Math.round(Math.min(255, (((softMask?.[index] ?? 0) * 255) / near) * entry));
  }
  return { ...mask, bytes };
}

const grey = ({ width, height, bytes }: Mask) =>
  sharp(bytes, { raw: { width, height, channels: 1 } }).toColourspace('b-w');
