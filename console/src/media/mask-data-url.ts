import type { MaskStep, Size } from './mask-step.ts';
import { drawMask, maskSizeOf } from './mask-steps.ts';

/** The mask as a PNG: white what is to change, black the rest, of the picture's size or smaller in the same ratio. */
export function maskDataUrl(steps: readonly MaskStep[], picture: Size): string {
  const size = maskSizeOf(picture);
  const canvas = document.createElement('canvas');
  canvas.width = size.width;
  canvas.height = size.height;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('This browser gives no canvas to draw on.');
  drawMask(context, steps, { size, picture });
  context.globalCompositeOperation = 'destination-over';
  context.fillStyle = '#000';
  context.fillRect(0, 0, size.width, size.height);
  return canvas.toDataURL('image/png');
}
