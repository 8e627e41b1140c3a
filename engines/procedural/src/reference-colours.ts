import { EngineError } from '@renderkit/engine-kit/engine.ts';
import sharp from 'sharp';
import { fromRgb, type Colour } from './colour.ts';

const SIDE = 32;
const HUES = 12;
const MAX_COLOURS = 2;
const MAX_PIXELS = 50_000_000;

/**
 * Returns the dominant colours of reference images, strongest first.
 *
 * @throws EngineError `unreadable_reference`
 */
export async function readReferenceColours(
  references: readonly { readonly path: string }[],
): Promise<Colour[]> {
  const perImage: Colour[][] = [];
  for (const { path } of references) perImage.push(await dominantColours(path));
  // The first colour of each image comes before the second colour of any image.
  const ranked = Array.from({ length: MAX_COLOURS }, (_, rank) =>
    perImage.flatMap((colours) => colours[rank] ?? []),
  );
  return ranked.flat();
}

async function dominantColours(path: string): Promise<Colour[]> {
  let bytes: Buffer;
  try {
    bytes = await sharp(path, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
      .flatten({ background: '#808080' })
      .resize(SIDE, SIDE, { fit: 'fill' })
      .toColourspace('srgb')
      .removeAlpha()
      .raw()
      .toBuffer();
  } catch (cause) {
    throw new EngineError('unreadable_reference', 'A reference picture could not be read.', { cause });
  }
  const groups = Array.from({ length: HUES + 1 }, () => ({ weight: 0, l: 0, a: 0, b: 0 }));
  for (let index = 0; index + 2 < bytes.length; index += 3) {
    const { l, c, h } = fromRgb(
      (bytes[index] ?? 0) / 255,
      (bytes[index + 1] ?? 0) / 255,
      (bytes[index + 2] ?? 0) / 255,
    );
    const hue = c < 0.03 ? HUES : Math.floor((((h + 360) % 360) / 360) * HUES) % HUES;
    const group = groups[hue];
    if (!group) continue;
    // A small vivid area characterises an image more than a large grey area.
    const weight = 0.15 + c * 6;
    group.weight += weight;
    group.l += l * weight;
    group.a += c * Math.cos((h * Math.PI) / 180) * weight;
    group.b += c * Math.sin((h * Math.PI) / 180) * weight;
  }
  return groups
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .slice(0, MAX_COLOURS)
    .map(({ weight, l, a, b }) => ({
      l: l / weight,
      c: Math.hypot(a, b) / weight,
      h: (Math.atan2(b, a) * 180) / Math.PI,
    }));
}
