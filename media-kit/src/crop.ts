import type { Size } from './media-jobs.ts';

/**
 * Returns the share of an image that is cropped so that the image covers a size; 0–1.
 * `engines/kit/src/finish-outputs.ts` limits the share for results.
 */
export function cropOf(image: Size, { width, height }: Size): number {
  const scale = Math.max(width / image.width, height / image.height);
  return 1 - (width * height) / (image.width * image.height * scale * scale);
}
