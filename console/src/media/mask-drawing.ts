import type { MaskStep, Size } from './mask-step.ts';
import { drawMask, maskSizeOf, mayShow, uploadOf } from './mask-steps.ts';
import type { MaskImages } from './use-mask-images.ts';

/** The inputs for drawing a mask. */
export type MaskGround = {
  image: Size;
  /** The images in the steps. */
  images: MaskImages;
  /** The mask's upload can no longer be used in a request. */
  lost: boolean;
};

/**
 * Returns the mask to send: the id of its upload, or a drawing. `undefined` when nothing is white. An uploaded mask is
 * not drawn while its upload can be used, because a drawing has at most 2048 pixels a side.
 * `media-kit/src/fit-image.ts` restores the original where the mask is black.
 */
export function maskOf(steps: readonly MaskStep[], on: MaskGround): string | undefined {
  if (!mayShow(steps)) return undefined;
  return (on.lost ? undefined : uploadOf(steps)) ?? maskDataUrl(steps, on);
}

/** Returns the stored size of an uploaded mask on which nothing was painted. */
function sizeOfOnly(steps: readonly MaskStep[], images: MaskImages): Size | undefined {
  const [first, ...others] = steps;
  if (first?.kind !== 'image' || others.length > 0) return undefined;
  const found = images.get(first.png);
  return found && { width: found.width, height: found.height };
}

/**
 * Returns the mask as a PNG data URL. The edit may change white parts. The PNG has the image's size, or is smaller in
 * the same ratio.
 */
function maskDataUrl(steps: readonly MaskStep[], { image, images }: MaskGround): string {
  const size = sizeOfOnly(steps, images) ?? maskSizeOf(image);
  const canvas = document.createElement('canvas');
  canvas.width = size.width;
  canvas.height = size.height;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('This browser gives no canvas to draw on.');
  drawMask(context, steps, { size, image, images });
  context.globalCompositeOperation = 'destination-over';
  context.fillStyle = '#000';
  context.fillRect(0, 0, size.width, size.height);
  return canvas.toDataURL('image/png');
}
