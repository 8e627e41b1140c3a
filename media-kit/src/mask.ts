import sharp from 'sharp';
import type { Size } from './media-jobs.ts';

/** The same number as `imagePixels` in `file-limits.ts`. */
const maxPixels = 50_000_000;
/** Below this difference of ratios, a mask is stretched instead of cropped. */
const stretchTolerance = 0.02;

/** One byte per pixel: 0 means unchanged, 255 means changed. */
export interface Mask extends Size {
  readonly bytes: Buffer;
}

/** The size that a mask gets, and how. */
export type MaskTarget = {
  /** Pixels. */
  size: Size;
  /** Softens the mask inwards, in pixels of the target: every black pixel stays black. */
  blur: number;
  /** How the image was fitted to this size; the area outside of the image is black. Default: `cover`. */
  fit?: 'cover' | 'contain' | 'fill';
};

/** Reads a mask and ignores its alpha. Call this only in a process where a hostile file can do no harm. */
export async function readMask(path: string): Promise<Mask> {
  const { data, info } = await sharp(path, { limitInputPixels: maxPixels, failOn: 'error' })
    .removeAlpha()
    .toColourspace('b-w')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, bytes: data };
}

/** Fits a mask to the target of its image. `image` is the image's size; the mask has the same ratio. */
export async function fitMask(mask: Mask, image: Size, { size, blur, fit }: MaskTarget): Promise<Mask> {
  const sharpEdged = await resize(mask, image, 'nearest');
  const same = mask.width === image.width && mask.height === image.height;
  const smooth = same ? sharpEdged : await resize(mask, image, 'linear');
  // Enlarging a small mask makes a slope between a black and a white pixel. Black pixels must stay black, so the slope
  // begins outside of them.
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

/** Softens the edge of the change inwards; the values themselves are softened too. */
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
    // At the edge itself, half of the neighbourhood is inside; the change begins there.
    const entry = Math.max(0, (near / 255) * 2 - 1);
    bytes[index] = Math.round(Math.min(255, (((softMask?.[index] ?? 0) * 255) / near) * entry));
  }
  return { ...mask, bytes };
}

const grey = ({ width, height, bytes }: Mask) =>
  sharp(bytes, { raw: { width, height, channels: 1 } }).toColourspace('b-w');
