import sharp from 'sharp';
import type { Size } from './media-jobs.ts';

const maxPixels = 50_000_000;
/** Below this difference of ratios a mask is stretched rather than cut. */
const stretchTolerance = 0.02;

/** One byte per pixel: 0 stays, 255 changes. */
export interface Mask extends Size {
  readonly bytes: Buffer;
}

/** Where to and how a mask is brought. */
export type MaskTarget = {
  /** Pixels. */
  size: Size;
  /** Softens the mask inwards, in pixels of the target: what is black stays black to the last pixel. */
  blur: number;
  /** As the image was brought there; what is beside the image is black. Default: `cover`. */
  fit?: 'cover' | 'contain' | 'fill';
};

/** Reads a mask; its alpha means nothing. Call it where a hostile file can do no harm. */
export async function readMask(path: string): Promise<Mask> {
  const { data, info } = await sharp(path, { limitInputPixels: maxPixels, failOn: 'error' })
    .removeAlpha()
    .toColourspace('b-w')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, bytes: data };
}

/** Brings the mask of an image of the size `image`, whose ratio it has, to where the image was brought. */
export async function fitMask(mask: Mask, image: Size, { size, blur, fit }: MaskTarget): Promise<Mask> {
  const sharpEdged = await resize(mask, image, 'nearest');
  const same = mask.width === image.width && mask.height === image.height;
  const smooth = same ? sharpEdged : await resize(mask, image, 'linear');
  // Between a black and a white pixel of a small mask runs a slope; it may not begin on what is black.
  const larger = image.width > mask.width;
  if (larger)
    for (const [index, value] of sharpEdged.bytes.entries()) if (value === 0) smooth.bytes[index] = 0;
  const fitted =
    size.width === image.width && size.height === image.height
      ? smooth
      : await resize(smooth, size, 'linear', fit);
  return blur > 0 ? feather(fitted, blur) : fitted;
}

async function resize(
  mask: Mask,
  { width, height }: Size,
  kernel: 'nearest' | 'linear',
  fit: MaskTarget['fit'] = 'cover',
): Promise<Mask> {
  const alike = Math.abs(width / height - mask.width / mask.height) < stretchTolerance;
  const bytes = await grey(mask)
    .resize({ width, height, fit: alike && fit === 'cover' ? 'fill' : fit, kernel, background: '#000' })
    .raw()
    .toBuffer();
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
