import type { Size } from './engine.ts';
import type { Route } from './route.ts';

/**
 * Returns the size at which a route works: the nearest to the promised size that its rules allow. Pixels. `jobValues`
 * in `studio/src/renders/engine-values.ts` decides the promised size.
 */
export function workingSize({ width, height }: Size, rules: NonNullable<Route['size']> = {}): Size {
  const { multiple_of: multiple = 1, max_pixels: maxPixels, min_side: minSide = 1 } = rules;
  const enlarged = Math.max(1, minSide / Math.min(width, height));
  const scale = Math.min(
    enlarged,
    maxPixels === undefined ? enlarged : Math.sqrt(maxPixels / (width * height)),
  );
  const fit = (side: number, round: (value: number) => number) =>
    Math.max(multiple, round((side * scale) / multiple) * multiple);
  const nearest = { width: fit(width, Math.round), height: fit(height, Math.round) };
  if (maxPixels === undefined || nearest.width * nearest.height <= maxPixels) return nearest;
  return { width: fit(width, Math.floor), height: fit(height, Math.floor) };
}
