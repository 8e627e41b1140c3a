import type { Estimate } from 'renderkit';
import type Renderkit from 'renderkit';
import type { RequestBody } from './kinds.ts';

/** The studio draws larger seeds as this one. */
const maxSeed = 2 ** 32 - 1;

/**
 * The request of each round. A seed that it names counts up by the outputs of a round, for the same one would make the same pictures
 * again; after the largest that its model takes comes the smallest. A round has the same seed whenever the command is repeated, so that
 * its Idempotency-Key stays good.
 */
export async function bodiesOfRounds(
  client: Pick<Renderkit, 'models'>,
  body: RequestBody,
  { model, outputs }: Pick<Estimate, 'model' | 'outputs'>,
  rounds: number,
): Promise<RequestBody[]> {
  const options = body['options'] as Record<string, unknown> | undefined;
  const seed = options?.['seed'];
  // A seed below 0 leaves it to chance.
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
