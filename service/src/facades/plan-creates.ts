import { type Kind, outputsOf } from '@renderkit/contract/studio/kinds.ts';
import type { StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';
import type { Wanted } from './make-outputs.ts';

/**
 * The creates that so many outputs take. They are equal but for a seed that was chosen, which counts up by the outputs of each:
 * with one seed all of them would make, and charge, the same pictures.
 */
export function planCreates(
  kind: Kind,
  model: StudioModel,
  body: Record<string, unknown>,
  outputs: number,
): Wanted {
  const outputsOfEach = outputsOf(model, kind);
  const generations = Math.ceil(outputs / outputsOfEach);
  const count = seedCounter(model, body);
  return {
    kind,
    body,
    generations,
    ...(count && { seeds: Array.from({ length: generations }, (_, place) => count(place * outputsOfEach)) }),
  };
}

/** Gives the seed that is so many further, from the end of the option's range on from its begin; undefined where none was chosen. */
function seedCounter(
  { parameters }: StudioModel,
  body: Record<string, unknown>,
): ((further: number) => number) | undefined {
  const { min, max, step = 1 } = parameters.options.find(({ key }) => key === 'seed') ?? {};
  const seed = (body['options'] as { seed?: unknown } | undefined)?.seed;
  if (typeof seed !== 'number' || min === undefined || max === undefined) return undefined;
  // Below 0 each generation draws a seed of its own.
  const first = min < 0 ? min + Math.ceil(-min / step) * step : min;
  // What is no seed of the model's is refused with its own words.
  const at = (seed - first) / step;
  if (seed > max || at < 0 || !Number.isInteger(at)) return undefined;
  const seeds = Math.floor((max - first) / step) + 1;
  return (further) => first + ((at + further) % seeds) * step;
}
