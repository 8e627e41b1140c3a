import type { Estimate } from 'renderkit';
import type Renderkit from 'renderkit';
import type { RequestBody } from './kinds.ts';

/** The largest seed. The studio uses this seed for any larger one. `studio/src/renders/seed.ts` has this rule. */
const maxSeed = 2 ** 32 - 1;

/**
 * Returns the request of each round. A fixed seed grows each round by the number of outputs per round, because the same
 * seed would make the same pictures again. After the largest seed of the model comes the smallest. A repeated command
 * uses the same seeds, so its Idempotency-Key stays valid. The console spreads seeds in
 * `console/src/model-form/seed.ts`.
 */
export async function bodiesOfRounds(
  client: Pick<Renderkit, 'models'>,
  body: RequestBody,
  { model, outputs }: Pick<Estimate, 'model' | 'outputs'>,
  rounds: number,
): Promise<RequestBody[]> {
  const options = body['options'] as Record<string, unknown> | undefined;
  const seed = options?.['seed'];
  // A seed below 0 means a random seed.
  if (typeof seed !== 'number' || seed < 0) return Array.from({ length: rounds }, () => body);
  const { parameters } = await client.models.retrieve(model);
  const range = parameters.options.find(({ key, type }) => key === 'seed' && type === 'slider');
  const min = Math.max(range?.min ?? 0, 0);
  const count = Math.min(range?.max ?? maxSeed, maxSeed) - min + 1;
  return Array.from({ length: rounds }, (_, round) =>
    round === 0
      ? body
      : { ...body, options: { ...options, seed: min + ((seed - min + round * outputs) % count) } },
  );
}
