import { useEffect, useState } from 'react';
import type { MaskStep, Size } from './mask-step.ts';
import { maskSizeOf } from './mask-steps.ts';

export type MaskImages = ReadonlyMap<string, HTMLImageElement>;

/** The images in the steps of a mask, ready to be drawn; undefined until all are. */
export function useMaskImages(steps: readonly MaskStep[]): MaskImages | undefined {
  const [images, setImages] = useState<MaskImages>(new Map());
  const wanted = steps.flatMap((step) => (step.kind === 'image' ? [step.png] : []));
  const missing = wanted.find((png) => !images.has(png));
  useEffect(() => {
    if (missing === undefined) return;
    const controller = new AbortController();
    const add = (image: HTMLImageElement) =>
      !controller.signal.aborted && setImages((before) => new Map(before).set(missing, image));
    void loadImage(missing).then(add, () => undefined);
    return () => controller.abort();
  }, [missing]);
  return missing === undefined ? images : undefined;
}

/**
 * Gives the mask at an address as a step that can be drawn on, once it is there. Nothing happens where it cannot be read: then
 * it is used as it is.
 */
export function useMaskAt(address: string | undefined, take: (step: MaskStep) => void): void {
  useEffect(() => {
    if (address === undefined) return;
    const controller = new AbortController();
    const read = (image: HTMLImageElement) =>
      !controller.signal.aborted && take({ kind: 'image', png: whiteOf(image) });
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

/** What is white in a mask, in white on nothing, as a PNG in a data URL. */
function whiteOf(image: HTMLImageElement): string {
  const size: Size = maskSizeOf({ width: image.naturalWidth, height: image.naturalHeight });
  const canvas = document.createElement('canvas');
  Object.assign(canvas, size);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('This browser gives no canvas to draw on.');
  context.drawImage(image, 0, 0, size.width, size.height);
  const pixels = context.getImageData(0, 0, size.width, size.height);
  const { data } = pixels;
  for (let i = 0; i < data.length; i += 4) {
    // A mask is grey, whatever its file has.
    data[i + 3] = Math.round(((data[i] ?? 0) * (data[i + 3] ?? 0)) / 255);
    data.fill(255, i, i + 3);
  }
  context.putImageData(pixels, 0, 0);
  return canvas.toDataURL('image/png');
}
