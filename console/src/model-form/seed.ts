import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import type { RequestBody } from '../generations/kind-labels.ts';
import type { ModelOption } from './form-fields.ts';
import type { OptionValue } from './form-values.ts';

/**
 * The key of the option that makes a result repeatable. A value below 0 means a random seed. The command line spreads
 * seeds in `clients/cli/src/create/bodies-of-rounds.ts`.
 */
export const seedKey = 'seed';

/** The largest random seed of the console. More digits would not help people. */
const maxDrawnSeed = 0xff_ff_ff_ff;

/** Returns whether an option is a seed that may be random. */
export function isSeed({ key, type, min = 0 }: ModelOption): boolean {
  return key === seedKey && type === 'slider' && min < 0;
}

/**
 * Returns the requests with different seeds, so that results differ and each can be repeated. Each request without a
 * seed gets a random one. A fixed seed that occurs again is increased by one each time. Models without a seed get the
 * requests unchanged. `studio/src/renders/seed.ts` decides the seed of a request without one.
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

/**
 * Returns the requests with one common seed, drawn if the form leaves it random, so that only the varied settings
 * differ.
 */
export function withOneSeed(
  model: Pick<Model, 'parameters'>,
  bodies: readonly RequestBody[],
  draw: (max: number) => number = randomUpTo,
): RequestBody[] {
  let seed: number | undefined;
  return bodies.flatMap((body) => withSeeds(model, [body], (max) => (seed ??= draw(max))));
}

/** Returns the seed of a request. `undefined` when the seed is random. */
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
