import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import type { RequestBody } from '../generations/kinds.ts';
import type { ModelOption } from './form-fields.ts';
import type { OptionValue } from './form-values.ts';

/** The key of the option that makes a result repeatable; a value below 0 leaves it to chance. */
export const seedKey = 'seed';

/** What the console draws at most; more digits say no more to a person. */
const maxDrawnSeed = 0xff_ff_ff_ff;

/** Whether an option is a seed that may be left to chance. */
export function isSeed({ key, type, min = 0 }: ModelOption): boolean {
  return key === seedKey && type === 'slider' && min < 0;
}

/**
 * The same requests with seeds of their own where the form leaves them to chance, and with following ones where it names
 * one, so that they differ and each can be made again. Models without a seed are sent as they are.
 */
export function withSeeds(
  model: Pick<Model, 'parameters'>,
  bodies: readonly RequestBody[],
  draw: (max: number) => number = randomUpTo,
): RequestBody[] {
  const option = model.parameters.options.find(isSeed);
  if (option === undefined) return [...bodies];
  const max = Math.min(option.max ?? maxDrawnSeed, maxDrawnSeed);
  const used = new Map<number, number>();
  return bodies.map((body) => {
    const options = (body['options'] ?? {}) as Record<string, OptionValue>;
    const set = options[seedKey];
    let seed = typeof set === 'number' && set >= 0 ? set : draw(max);
    if (typeof set === 'number' && set >= 0) {
      const before = used.get(set) ?? 0;
      used.set(set, before + 1);
      seed = (set + before) % (max + 1);
    }
    return { ...body, options: { ...options, [seedKey]: seed } };
  });
}

/** The same requests with one seed for all where the form leaves it to chance, so that only what is varied differs. */
export function withOneSeed(
  model: Pick<Model, 'parameters'>,
  bodies: readonly RequestBody[],
  draw: (max: number) => number = randomUpTo,
): RequestBody[] {
  let seed: number | undefined;
  return bodies.flatMap((body) => withSeeds(model, [body], (max) => (seed ??= draw(max))));
}

/** The seed that a request names; undefined where it leaves it to chance. */
export function seedOf(body: RequestBody | undefined): number | undefined {
  const options = body?.['options'];
  if (typeof options !== 'object' || options === null) return undefined;
  const seed = (options as Record<string, unknown>)[seedKey];
  return typeof seed === 'number' && seed >= 0 ? seed : undefined;
}

function randomUpTo(max: number): number {
  const [value = 0] = crypto.getRandomValues(new Uint32Array(1));
  return max >= maxDrawnSeed ? value : value % (max + 1);
}
