/** Ratios with a common name. A ratio within 1 % of a named one gets its name. */
const named = ['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3', '21:9', '9:21', '5:4', '4:5'];
const tolerance = 0.01;

/**
 * Returns the ratio of an image's sides under its common name, e.g. `16:9`; `null` when the size is unknown.
 * `ratioPart` in `contract/studio/validate.ts` decides the ratio that a request gets.
 */
export function aspectRatioOf({
  width,
  height,
}: {
  width: number | null;
  height: number | null;
}): string | null {
  if (width === null || height === null || width === 0 || height === 0) return null;
  const ratio = width / height;
  const close = named.find((name) => {
    const [across = 1, down = 1] = name.split(':').map(Number);
    return Math.abs(ratio / (across / down) - 1) <= tolerance;
  });
  const divisor = greatestCommonDivisor(width, height);
  return close ?? `${width / divisor}:${height / divisor}`;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
