import type { Transition, Transitioned } from './transition-store.ts';

/**
 * Makes transitions that were gathered into one batch, each generation at most once in a statement: a statement could
 * not say which of two callers it obeyed. Returns one result per transition, in order: undefined where it was not
 * made, an error where a later statement failed. `make` makes transitions of distinct generations and returns those that
 * were made. @throws what the first statement throws: nothing was made then
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
      // What earlier statements made stays made, and must not be tried again.
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

/** No status comes twice: what was made, or had the same conditions as a transition that failed, need not be tried. */
function sharesFate(transition: Transition, before: Transition, wasMade: boolean): boolean {
  if (transition.from !== before.from) return false;
  return wasMade || (transition.attempt === before.attempt && transition.untouched === before.untouched);
}
