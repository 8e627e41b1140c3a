import type { Transition, Transitioned } from './transition-store.ts';

/**
 * Makes the transitions of one batch, with each generation at most once in a statement: one statement could not show
 * which of two callers succeeded. Returns one result for each transition, in order: undefined where it was not made, an
 * error where a later statement failed. `make` makes transitions of distinct generations and returns those that were
 * made.
 * @throws what the first statement throws: then nothing was made
 */
export async function transitionOnce(
  transitions: readonly Transition[],
  make: (distinct: readonly Transition[]) => Promise<readonly Transitioned[]>,
): Promise<(Transitioned | Error | undefined)[]> {
  const results = new Map<Transition, Transitioned | Error>();
  for (let waiting = transitions; waiting.length > 0;) {
    const first = new Map<string, Transition>();
    for (const transition of waiting) if (!first.has(transition.id)) first.set(transition.id, transition);
    let made: Map<string, Transitioned>;
    try {
      made = new Map((await make([...first.values()])).map((one) => [one.id, one]));
    } catch (error) {
      // The transitions of earlier statements are committed and must not be tried again.
      if (waiting === transitions) throw error;
      for (const transition of waiting)
        results.set(transition, error instanceof Error ? error : new Error(String(error)));
      break;
    }
    for (const [id, transition] of first) {
      const one = made.get(id);
      if (one !== undefined) results.set(transition, one);
    }
    waiting = waiting.filter((transition) => {
      const before = first.get(transition.id) as Transition;
      return transition !== before && !sharesFate(transition, before, made.has(transition.id));
    });
  }
  return transitions.map((transition) => results.get(transition));
}

/**
 * Returns whether a transition cannot succeed after an earlier one of the same generation. A generation never returns
 * to a status, so after success, or after failure under the same conditions, a second try is useless.
 */
function sharesFate(transition: Transition, before: Transition, wasMade: boolean): boolean {
  if (transition.from !== before.from) return false;
  return wasMade || (transition.attempt === before.attempt && transition.untouched === before.untouched);
}
