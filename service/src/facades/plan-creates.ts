import { type Kind, outputsOf } from '@renderkit/contract/studio/kinds.ts';
import type { StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';
import type { Wanted } from './make-outputs.ts';

/**
 * Plans the creates for a number of outputs. They differ only in a chosen seed, which increases by the outputs of each
 * create: with one seed, all would make, and charge for, the same pictures.
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

/**
 * Returns a function that adds to the chosen seed and continues at the start of the option's range after its end.
 * Undefined where no seed was chosen.
 */
function seedCounter(
  { parameters }: StudioModel,
  body: Record<string, unknown>,
): ((further: number) => number) | undefined {
  const { min, max, step = 1 } = parameters.options.find(({ key }) => key === 'seed') ?? {};
  const seed = (body['options'] as { seed?: unknown } | undefined)?.seed;
  if (typeof seed !== 'number' || min === undefined || max === undefined) return undefined;
  // Below 0, each generation chooses its own seed.
  const first = min < 0 ? min + Math.ceil(-min / step) * step : min;
  // An invalid seed is refused later, with the model's own message.
  const at = (seed - first) / step;
  if (seed > max || at < 0 || !Number.isInteger(at)) return undefined;
  const seeds = Math.floor((max - first) / step) + 1;
  return (further) => first + ((at + further) % seeds) * step;
}
