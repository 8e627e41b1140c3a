import { onUnknownOf, type Route } from '@renderkit/engine-kit/route.ts';
import { sourcesOf } from './check-machine.ts';

/** Providers that list the inputs of their jobs but do not accept an id of ours. */
const listingEngines: readonly Route['engine'][] = ['fal', 'replicate'];
const uniqueSources = ['seed', 'job.id', 'job.prefix'];

/**
 * Returns a warning for each paid route whose jobs cannot be found again after a lost answer, although its provider
 * lists jobs. `studio/src/renders/unique-targets.ts` finds the values that identify a job.
 */
export function untraceableRoutes(routes: readonly Route[]): string[] {
  const isUntraceable = (route: Route) =>
    route.cost !== undefined &&
    listingEngines.includes(route.engine) &&
    onUnknownOf(route) === 'ask' &&
    !Object.values(route.set).some((binding) =>
      sourcesOf(binding).some((source) => uniqueSources.includes(source)),
    );
  return routes
    .filter(isUntraceable)
    .map(
      ({ name }) =>
        `Route ${name} sends no seed, so that a job whose answer is lost cannot be told from another's: it is paid, and refunded to its user. Set the seed, or on_unknown: fail where the model takes none.`,
    );
}
