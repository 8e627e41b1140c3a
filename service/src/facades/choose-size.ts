import type { StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';

/** Sizes that a model offers. */
type Offered = { ratio: string; width: number; height: number };

const shape = /^(\d{1,5})x(\d{1,5})$/i;

/**
 * Reads width and height from a text such as `1024x768`. Returns undefined for any other text, and where either is 0.
 */
export function readSize(text: unknown): { width: number; height: number } | undefined {
  const [, width, height] = (typeof text === 'string' ? shape.exec(text.trim()) : null) ?? [];
  const size = { width: Number(width), height: Number(height) };
  return width === undefined || size.width === 0 || size.height === 0 ? undefined : size;
}

/**
 * Returns the offered size with the nearest shape, compared by the ratio of the ratios: 2:1 is as far from 1:1 as 1:2
 * is. Among equal shapes the area decides. Undefined where no size is offered.
 */
export function nearestSize(
  offered: readonly Offered[],
  wanted: { width: number; height: number },
): Offered | undefined {
  const farness = ({ width, height }: Offered): [number, number] => [
    Math.abs(Math.log(wanted.width / wanted.height / (width / height))),
    Math.abs(Math.log((wanted.width * wanted.height) / (width * height))),
  ];
  return offered.toSorted((a, b) => {
    const [shapeA, areaA] = farness(a);
    const [shapeB, areaB] = farness(b);
    return Math.abs(shapeA - shapeB) > 1e-9 ? shapeA - shapeB : areaA - areaB;
  })[0];
}

/**
 * Returns the size that a create of pictures makes, as `1024x1024`; undefined where the size follows the source
 * picture.
 */
export function sizeMade({ parameters }: StudioModel, body: Record<string, unknown>): string | undefined {
  const { aspect_ratios: sizes, same_ratio_supported: keepsRatio } = parameters;
  const ratio = body['aspect_ratio'];
  if (ratio === undefined && body['image'] !== undefined && keepsRatio) return undefined;
  const made = ratio === undefined ? sizes[0] : sizes.find((one) => one.ratio === ratio);
  return made && `${made.width}x${made.height}`;
}
