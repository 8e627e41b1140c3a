import sharp from 'sharp';

/** A decoded image, three bytes per pixel. */
export type Pixels = { width: number; height: number; data: Buffer };

/** Downloads and decodes an image. @throws when the address does not answer with an image */
export async function fetchImage(url: string): Promise<Pixels> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  const { data, info } = await sharp(await response.arrayBuffer())
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

export type ImageDifference = {
  sameSize: boolean;
  /** Number of pixels that differ. */
  changed: number;
  /** The smallest rectangle that contains all of them, in fractions of width and height. */
  within: { left: number; top: number; right: number; bottom: number };
};

/** Compares two images pixel by pixel. */
export function compareImages(one: Pixels, other: Pixels): ImageDifference {
  const within = { left: 1, top: 1, right: 0, bottom: 0 };
  const { width, height } = one;
  if (width !== other.width || height !== other.height) return { sameSize: false, changed: 0, within };
  let changed = 0;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 3;
      if (one.data.compare(other.data, at, at + 3, at, at + 3) === 0) continue;
      changed++;
      within.left = Math.min(within.left, x / width);
      within.right = Math.max(within.right, (x + 1) / width);
      within.top = Math.min(within.top, y / height);
      within.bottom = Math.max(within.bottom, (y + 1) / height);
    }
  return { sameSize: true, changed, within };
}
