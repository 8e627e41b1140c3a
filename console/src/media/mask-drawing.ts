import type { MaskStep, Size } from './mask-step.ts';
import { drawMask, maskSizeOf, mayShow, uploadOf } from './mask-steps.ts';
import type { MaskImages } from './use-mask-images.ts';

/** What a mask is made with. */
export type MaskGround = {
  image: Size;
  /** What is in the steps. */
  images: MaskImages;
  /** The upload that the mask is can no longer be named. */
  lost: boolean;
};

/**
 * What is sent as the mask: the upload that it is, or a drawing of it; undefined where nothing is white. A mask of elsewhere
 * is never drawn while its upload can be named: a drawing has not more than 2048 pixels a side.
 */
export function maskOf(steps: readonly MaskStep[], on: MaskGround): string | undefined {
  if (!mayShow(steps)) return undefined;
  return (on.lost ? undefined : uploadOf(steps)) ?? maskDataUrl(steps, on);
}

/** The size of a mask of elsewhere on which nothing was painted yet, as it is kept. */
function sizeOfOnly(steps: readonly MaskStep[], images: MaskImages): Size | undefined {
  const [first, ...others] = steps;
  if (first?.kind !== 'image' || others.length > 0) return undefined;
  const found = images.get(first.png);
  return found && { width: found.width, height: found.height };
}

/** The mask as a PNG: white is what may change. It has the image's size, or is smaller in the same ratio. */
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
