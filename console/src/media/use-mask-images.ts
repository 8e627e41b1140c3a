import { useEffect, useState } from 'react';
import { whitenMask } from './mask-grey.ts';
import type { ImageStep, MaskStep, Size } from './mask-step.ts';
import { maskSizeOf } from './mask-steps.ts';

type MaskImage = HTMLImageElement | HTMLCanvasElement;
export type MaskImages = ReadonlyMap<string, MaskImage>;

type UsedImages = {
  /** Ready to be drawn; undefined until all are. */
  images: MaskImages | undefined;
  /** Hands on an image that is decoded already, so that its step is drawn at once. */
  add: (png: string, image: MaskImage) => void;
};

/** The images in the steps of a mask. `drop` is called with one that cannot be read. */
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
    // `drop` is another function in each render, and does the same.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [missing]);
  return { images: missing === undefined ? images : undefined, add };
}

/**
 * Gives the mask at an address as a step that can be drawn on, once it is there. Nothing happens where it cannot be read, or
 * not as the engines read it: then it is used as it is.
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
    // `take` is another function in each render, and does the same.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [address]);
}

/** @throws Event where there is no image */
function loadImage(address: string): Promise<HTMLImageElement> {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.crossOrigin = 'anonymous';
    image.addEventListener('load', () => resolve(image));
    image.addEventListener('error', reject);
    image.src = address;
  });
}

/** What is white in a mask, in white on nothing, no larger than a mask is drawn; undefined where a canvas reads other values. */
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
