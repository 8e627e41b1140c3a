/** A ratio that a model offers. Width and height are pixels if the model has them, else the parts of the ratio. */
export type Ratio = { ratio: string; width: number; height: number };

const ratioText = /^(\d+(?:\.\d+)?):(\d+(?:\.\d+)?)$/;

/** Returns the two parts of `16:9`. Returns a square when the text is not a ratio. */
export function ratioOf(text: string): { width: number; height: number } {
  const [, width, height] = ratioText.exec(text) ?? [];
  const parts = { width: Number(width), height: Number(height) };
  return parts.width > 0 && parts.height > 0 ? parts : { width: 1, height: 1 };
}

/** Returns the ratio that crops a picture of this size least. `undefined` without ratios. */
export function nearestRatio(
  ratios: readonly Ratio[],
  size: { width: number; height: number },
): string | undefined {
  const lost = (ratio: Ratio) =>
    Math.abs(Math.log((ratio.width * size.height) / (ratio.height * size.width)));
  return ratios.toSorted((one, other) => lost(one) - lost(other))[0]?.ratio;
}

/** Returns the largest rectangle of this ratio in a square of `side`, in whole units. No side is below `least`. */
export function shapeOf(
  { width, height }: { width: number; height: number },
  side: number,
  least = 2,
): { width: number; height: number } {
  if (!(width > 0 && height > 0)) return { width: side, height: side };
  const scale = side / Math.max(width, height);
  return {
    width: Math.max(least, Math.round(width * scale)),
    height: Math.max(least, Math.round(height * scale)),
  };
}
