import type { StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';

/** Sizes that a model offers. */
type Offered = { ratio: string; width: number; height: number };

const shape = /^(\d{1,5})x(\d{1,5})$/i;

/** Width and height of a text such as `1024x768`; undefined of any other, and where either is 0. */
export function readSize(text: unknown): { width: number; height: number } | undefined {
  const [, width, height] = (typeof text === 'string' ? shape.exec(text.trim()) : null) ?? [];
  const size = { width: Number(width), height: Number(height) };
  return width === undefined || size.width === 0 || size.height === 0 ? undefined : size;
}

/**
 * The offered size whose shape is nearest: by the ratio of the ratios, since 2:1 is as far from 1:1 as 1:2 is; among equals
 * by area. Undefined where nothing is offered.
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

/** As `1024x1024`, the size that a create of pictures makes; undefined where it follows the picture that it changes. */
export function sizeMade({ parameters }: StudioModel, body: Record<string, unknown>): string | undefined {
  const { aspect_ratios: sizes, same_ratio_supported: keepsRatio } = parameters;
  const ratio = body['aspect_ratio'];
  if (ratio === undefined && body['image'] !== undefined && keepsRatio) return undefined;
  const made = ratio === undefined ? sizes[0] : sizes.find((one) => one.ratio === ratio);
  return made && `${made.width}x${made.height}`;
}
