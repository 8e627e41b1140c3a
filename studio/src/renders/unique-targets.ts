import type { BoundValue } from '@renderkit/engine-kit/driver.ts';
import { textOf } from '@renderkit/engine-kit/transform-value.ts';
import type { Claim } from '../backends/claim-queries.ts';
import { drawnSeed } from './seed.ts';

/**
 * Returns the targets whose value no other submission has, so that an engine's job is recognised by them: the
 * submission's id, and a seed that was drawn for its render. Other renders may use a seed that a user asked for. A seed
 * that a binding changed is no longer the drawn one. `manifests/src/untraceable-routes.ts` warns of routes that have
 * none.
 */
export function uniqueTargets(
  values: readonly BoundValue[],
  claim: Pick<Claim, 'id' | 'render_id' | 'seed'>,
  seed: number | null,
): string[] {
  const isDrawn = claim.seed !== null && claim.seed === drawnSeed(claim.render_id);
  const isUnique = (bound: BoundValue) => {
    if (bound.kind !== 'plain') return false;
    const text = textOf(bound.value);
    if (text.includes(claim.id)) return true;
    // Digits inside a longer number are not the seed.
    return isDrawn && seed !== null && (text.match(/\d+/g) ?? []).some((digits) => digits === String(seed));
  };
  return values.filter(isUnique).map(({ target }) => target);
}
