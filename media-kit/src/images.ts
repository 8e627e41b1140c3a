import { writeFile } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import type { Pixels, Size } from './media-jobs.ts';

// By default, sharp reads SVG, TIFF, GIF and a dozen other formats, each with its own parser. Only engines send WebP.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp'] });
sharp.concurrency(1);
sharp.cache(false);

/** The same number as `imagePixels` in `file-limits.ts`, which limits uploads. */
const maxPixels = 50_000_000;

/** Decodes every pixel of an image, but keeps few of them. */
export async function decodeImage(path: string): Promise<Size> {
  const { info } = await open(path)
    .resize({ width: 16, height: 16, fit: 'fill', kernel: 'nearest', fastShrinkOnLoad: false })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height };
}

/** Returns a WebP that fits in a square of `side` pixels. */
export async function shrinkImage(path: string, side: number): Promise<Pixels> {
  const { data, info } = await open(path)
    .autoOrient()
    .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 82, effort: 1 })
    .toBuffer({ resolveWithObject: true });
  return { bytes: data, width: info.width, height: info.height };
}

/** Qualities of a preview, best first. */
const previewQualities = [60, 40, 20];

/**
 * Returns a JPEG that fits in a square of `side` pixels and in `maxBytes`; without bytes where even the lowest quality
 * is larger.
 */
export async function makePreview(path: string, side: number, maxBytes: number): Promise<Pixels> {
  const { data, info } = await open(path)
    .autoOrient()
    .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
    .flatten()
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  for (const quality of previewQualities) {
    const bytes = await sharp(data, { raw: { width, height, channels } }).jpeg({ quality }).toBuffer();
    if (bytes.length <= maxBytes) return { bytes, width, height };
  }
  return { bytes: Buffer.alloc(0), width, height };
}

/** Writes the pixels as a viewer shows them: upright, 8 bits, sRGB, opaque where the file has no alpha. */
export async function writeRgba(path: string, output: string, largestPixels: number): Promise<Size> {
  const { data, info } = await open(path)
    .autoOrient()
    .resize(await sizeWithin(path, largestPixels))
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  await writeFile(output, data);
  return { width: info.width, height: info.height };
}

/** Writes a grey, upright mask that is white where the image is transparent. */
export async function writeMaskOfAlpha(path: string, output: string): Promise<{ hasAlpha: boolean }> {
  const { hasAlpha } = await open(path).metadata();
  if (!hasAlpha) return { hasAlpha };
  const { data, info } = await open(path)
    .autoOrient()
    .extractChannel('alpha')
    .negate()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  await sharp(data, { raw: { width, height, channels: 1 } })
    .toColourspace('b-w')
    .png()
    .toFile(output);
  return { hasAlpha };
}

async function sizeWithin(path: string, largestPixels: number): Promise<Partial<Size>> {
  const { autoOrient } = await open(path).metadata();
  const scale = Math.sqrt(largestPixels / (autoOrient.width * autoOrient.height));
  if (scale >= 1) return {};
  return {
    width: Math.max(1, Math.floor(autoOrient.width * scale)),
    height: Math.max(1, Math.floor(autoOrient.height * scale)),
  };
}

/** Opens an untrusted image, within the limits for decoding. */
export function open(path: string): Sharp {
  return sharp(path, { limitInputPixels: maxPixels, failOn: 'warning', sequentialRead: true });
}
