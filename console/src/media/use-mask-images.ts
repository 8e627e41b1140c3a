import { useEffect, useState } from 'react';
import { whitenMask } from './mask-grey.ts';
import type { ImageStep, MaskStep, Size } from './mask-step.ts';
import { maskSizeOf } from './mask-steps.ts';

type MaskImage = HTMLImageElement | HTMLCanvasElement;
export type MaskImages = ReadonlyMap<string, MaskImage>;

type UsedImages = {
  /** The decoded images. `undefined` until all are decoded. */
  images: MaskImages | undefined;
  /** Adds an image that is already decoded, so that its step is drawn at once. */
  add: (png: string, image: MaskImage) => void;
};

/** Decodes the images in the steps of a mask. Calls `drop` for an image that cannot be read. */
export function useMaskImages(steps: readonly MaskStep[], drop: (png: string) => void): UsedImages {
  const [images, setImages] = useState<MaskImages>(new Map());
  const add = (png: string, image: MaskImage) => setImages((before) => new Map(before).set(png, image));
  const wanted = steps.flatMap((step) => (step.kind === 'image' ? [step.png] : []));
  const missing = wanted.find((png) => !images.has(png));
  useEffect(() => {
    if (missing === undefined) return;
    const controller = new AbortController();
    void loadImage(missing).then(
      (image) => !controller.signal.aborted && add(missing, image),
      () => !controller.signal.aborted && drop(missing),
    );
    return () => controller.abort();
    // `drop` is a new function in each render, but does the same.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [missing]);
  return { images: missing === undefined ? images : undefined, add };
}

/**
 * Loads the mask at an address and passes it to `take` as a step to paint on. Does nothing when the mask cannot be
 * read, or not with the values that engines read. The mask is then used unchanged.
 */
export function useMaskAt(
  address: string | undefined,
  take: (step: Omit<ImageStep, 'upload'>, image: MaskImage) => void,
): void {
  useEffect(() => {
    if (address === undefined) return;
    const controller = new AbortController();
    const read = (image: HTMLImageElement) => {
      if (controller.signal.aborted) return;
      const white = whiteOf(image);
      if (white !== undefined) take({ kind: 'image', png: white.toDataURL('image/png') }, white);
    };
    void loadImage(address).then(read, () => undefined);
    return () => controller.abort();
    // `take` is a new function in each render, but does the same.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [address]);
}

/** @throws Event when the image cannot be loaded */
function loadImage(address: string): Promise<HTMLImageElement> {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.crossOrigin = 'anonymous';
    image.addEventListener('load', () => resolve(image));
    image.addEventListener('error', reject);
    image.src = address;
  });
}

/**
 * Returns the white part of a mask as white on transparent, no larger than a drawn mask. `undefined` when a canvas
 * reads other values than engines do.
 */
function whiteOf(image: HTMLImageElement): HTMLCanvasElement | undefined {
  const size: Size = maskSizeOf({ width: image.naturalWidth, height: image.naturalHeight });
  const canvas = document.createElement('canvas');
  Object.assign(canvas, size);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('This browser gives no canvas to draw on.');
  context.drawImage(image, 0, 0, size.width, size.height);
  const pixels = context.getImageData(0, 0, size.width, size.height);
  if (!whitenMask(pixels.data)) return undefined;
  context.putImageData(pixels, 0, 0);
  return canvas;
}
