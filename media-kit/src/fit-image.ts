import sharp, { type Sharp } from 'sharp';
import { open } from './images.ts';
import { cropOf } from './crop.ts';
import { fitMask, type Mask, readMask } from './mask.ts';
import type { FinishImage, Finished, FitImage, FitMask, Size } from './media-jobs.ts';

// Runs in a process with limits, because all files that are read here are untrusted.

/** Noise hardly compresses: higher levels take twice the time and save a fiftieth of the bytes. */
const pngLevel = 3;
const jpegQuality = 95;

/** @see MediaJobs.fitImage */
export async function fitImage({ image, output, size, fit, format }: FitImage): Promise<Size> {
  const white = '#fff';
  const drawn =
    'blank' in image
      ? sharp({ create: { ...size, channels: 3, background: image.blank === 'white' ? white : '#000' } })
      : open(image.path)
          .autoOrient()
          .resize({ ...size, fit, background: white })
          .flatten({ background: white })
          .toColourspace('srgb');
  const encoded =
    format === 'png' ? drawn.png({ compressionLevel: pngLevel }) : drawn.jpeg({ quality: jpegQuality });
  await encoded.toFile(output);
  return size;
}

/** @see MediaJobs.fitMask */
export async function fitMaskTo(asked: FitMask): Promise<Size> {
  const { mask, imageSize, output, size, fit, changes } = asked;
  const blur = (asked.blur * size.width) / imageSize.width;
  const fitted =
    'blank' in mask
      ? { ...size, bytes: Buffer.alloc(size.width * size.height, mask.blank === 'white' ? 255 : 0) }
      : await fitMask(await readMask(mask.path), imageSize, { size, blur, fit });
  await drawMask(fitted, changes).png({ compressionLevel: pngLevel }).toFile(output);
  return size;
}

function drawMask({ width, height, bytes }: Mask, changes: FitMask['changes']): Sharp {
  const turned = changes === 'white' ? bytes : Buffer.from(bytes.map((value) => 255 - value));
  const channel = sharp(turned, { raw: { width, height, channels: 1 } });
  if (changes !== 'transparent') return channel.toColourspace('srgb');
  return sharp({ create: { width, height, channels: 3, background: 'black' } }).joinChannel(turned, {
    raw: { width, height, channels: 1 },
  });
}

/** @see MediaJobs.finishImage */
export async function finishImage(asked: FinishImage): Promise<Finished> {
  const { path, output, size, maxCrop, inpaint } = asked;
  const { autoOrient: shown } = await open(path).metadata();
  if (cropOf(shown, size) > maxCrop) return { ...shown, written: false };
  const made = await readPixels(path, size);
  const finished = inpaint === null ? made : await composeInpaint(made, inpaint);
  const { bytes, hasAlpha } = dropPlainAlpha(finished);
  await sharp(bytes, { raw: { ...size, channels: hasAlpha ? 4 : 3 } })
    .png({ compressionLevel: pngLevel })
    .toFile(output);
  return { ...size, written: true };
}

type Pixels = Size & { bytes: Buffer };

/** Four bytes per pixel, upright, sRGB. */
async function readPixels(path: string, size: Size): Promise<Pixels> {
  const bytes = await open(path)
    .autoOrient()
    .resize({ ...size, fit: 'cover' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer();
  return { ...size, bytes };
}

/** Mixes the new image into the source by the values of the mask; alpha is mixed in the same way as colours. */
async function composeInpaint(
  made: Pixels,
  { source, mask, blur }: NonNullable<FinishImage['inpaint']>,
): Promise<Pixels> {
  const { autoOrient: shown } = await open(source).metadata();
  const size = { width: made.width, height: made.height };
  const own = await readPixels(source, size);
  const shares = await fitMask(await readMask(mask), shown, {
    size,
    blur: (blur * size.width) / shown.width,
  });
  for (const [pixel, share] of shares.bytes.entries()) {
    if (share === 0) continue;
    for (let index = pixel * 4; index < pixel * 4 + 4; index++) {
      const old = own.bytes[index] ?? 0;
      own.bytes[index] = Math.round(old + (((made.bytes[index] ?? 0) - old) * share) / 255);
    }
  }
  return own;
}

function dropPlainAlpha({ width, height, bytes }: Pixels): { bytes: Buffer; hasAlpha: boolean } {
  for (let index = 3; index < bytes.length; index += 4)
    if (bytes[index] !== 255) return { bytes, hasAlpha: true };
  const opaque = Buffer.allocUnsafe(width * height * 3);
  for (let from = 0, to = 0; from < bytes.length; from += 4) {
    opaque[to++] = bytes[from] ?? 0;
    opaque[to++] = bytes[from + 1] ?? 0;
    opaque[to++] = bytes[from + 2] ?? 0;
  }
  return { bytes: opaque, hasAlpha: false };
}
