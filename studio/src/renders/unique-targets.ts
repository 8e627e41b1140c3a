import type { BoundValue } from '@renderkit/engine-kit/driver.ts';
import { textOf } from '@renderkit/engine-kit/transform-value.ts';
import type { Claim } from '../backends/claim-queries.ts';
import { drawnSeed } from './seed.ts';

/**
 * Targets whose value no other submission has, so that an engine's job is known by them: the submission's id, and a seed that
 * was drawn for its render. One that somebody asked for may be anybody's, and one that a binding bent is no longer the one drawn.
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
    // A seed that is part of a longer number is not there.
    return isDrawn && seed !== null && (text.match(/\d+/g) ?? []).some((digits) => digits === String(seed));
  };
  return values.filter(isUnique).map(({ target }) => target);
}
