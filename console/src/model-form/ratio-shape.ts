/** A ratio that a model offers. Width and height are pixels where the model has them, otherwise parts of the ratio. */
export type Ratio = { ratio: string; width: number; height: number };

const ratioText = /^(\d+(?:\.\d+)?):(\d+(?:\.\d+)?)$/;

/** The two parts of `16:9`; a square where the text is no ratio. */
export function ratioOf(text: string): { width: number; height: number } {
  const [, width, height] = ratioText.exec(text) ?? [];
  const parts = { width: Number(width), height: Number(height) };
  return parts.width > 0 && parts.height > 0 ? parts : { width: 1, height: 1 };
}

/** The one of some ratios that cuts least off a picture of that size; undefined where there is none to choose from. */
export function nearestRatio(
  ratios: readonly Ratio[],
  size: { width: number; height: number },
): string | undefined {
  const lost = (ratio: Ratio) =>
    Math.abs(Math.log((ratio.width * size.height) / (ratio.height * size.width)));
  return ratios.toSorted((one, other) => lost(one) - lost(other))[0]?.ratio;
}

/** The largest rectangle of that ratio in a square of `side`, in whole units, neither side below `least`. */
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
