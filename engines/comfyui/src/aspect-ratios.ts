import { type InputSpec, numberOption } from './object-info.ts';

/** Pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface NamedSize extends Size {
  readonly ratio: string;
}

export interface SizeRules {
  /** Sides are multiples of this number. */
  readonly multipleOf: number;
  readonly min: number;
  readonly max: number;
}

const usualRatios: Readonly<Record<'image' | 'video', readonly string[]>> = {
  image: ['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3'],
  video: ['16:9', '9:16', '1:1', '4:3', '3:4'],
};
/**
 * A size counts as having a ratio if it differs by at most this share. `studio/src/administration/warn-of-offer.ts`
 * warns of sizes by the same share.
 */
const tolerance = 0.06;

/** Returns the limits that the inputs of a width and a height have. */
export function sizeRules(sides: readonly (InputSpec | undefined)[]): SizeRules {
  const all = (name: string, fallback: number): number[] =>
    sides.map((spec) => (spec && numberOption(spec, name)) ?? fallback);
  return {
    multipleOf: Math.max(8, ...all('step', 8)),
    min: Math.max(64, ...all('min', 64)),
    max: Math.min(16_384, ...all('max', 16_384)),
  };
}

/**
 * Returns the sizes to offer: the author's own size first, then the usual ratios with the same number of pixels. The
 * sizes are rounded to what the graph takes.
 */
export function aspectRatios(own: Size, rules: SizeRules, kind: 'image' | 'video'): NamedSize[] {
  const pixels = own.width * own.height;
  const first = { ratio: nearestRatio(own, kind), ...own };
  // The author's size with its sides exchanged: such a size is known to work.
  const turned = first.ratio.split(':').toReversed().join(':');
  const others = usualRatios[kind]
    .filter((ratio) => ratio !== first.ratio)
    .map((ratio) => {
      if (ratio === turned) return { ratio, width: own.height, height: own.width };
      const share = shareOf(ratio);
      const fit = (side: number): number =>
        Math.min(rules.max, Math.max(rules.min, Math.round(side / rules.multipleOf) * rules.multipleOf));
      return {
        ratio,
        width: fit(Math.sqrt(pixels * share)),
        height: fit(Math.sqrt(pixels / share)),
      };
    })
    // Near the limits a size may no longer have its ratio.
    .filter(({ ratio, width, height }) => Math.abs(width / height / shareOf(ratio) - 1) <= tolerance);
  return [first, ...others];
}

/** Returns the nearest usual ratio, or the size's own ratio in lowest terms where none is near. */
function nearestRatio({ width, height }: Size, kind: 'image' | 'video'): string {
  const share = width / height;
  const near = usualRatios[kind]
    .map((ratio) => ({ ratio, off: Math.abs(share / shareOf(ratio) - 1) }))
    .toSorted((one, other) => one.off - other.off)[0];
  if (near !== undefined && near.off <= tolerance) return near.ratio;
  const divisor = greatestDivisor(width, height);
  return `${width / divisor}:${height / divisor}`;
}

function shareOf(ratio: string): number {
  const [across = 1, down = 1] = ratio.split(':').map(Number);
  return across / down;
}

function greatestDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestDivisor(other, one % other);
}
