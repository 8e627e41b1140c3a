import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { Route } from '@renderkit/engine-kit/route.ts';
import { acceptedShapes, describeShape, maxShapes, takes } from './accepted-requests.ts';
import type { TargetSpecs } from '@renderkit/engine-kit/target-spec.ts';
import { checkBindings, checkBoundValues } from './check-bindings.ts';
import { checkOffers } from './check-offers.ts';
import { checkRoute } from './check-route.ts';
import type { Manifest } from './manifest.ts';
import type { ReadManifest } from './read-manifest.ts';
import type { ManifestContext, RouteCheck } from './route-check.ts';
import { splitTarget } from './workflow-file.ts';

/** Engines that read the request itself: every parameter counts as used. */
const readsRequest: readonly Route['engine'][] = ['procedural', 'sandbox'];

/**
 * What is wrong with a manifest as a whole: what it offers has to make sense, every route has to use all that a user can
 * ask of it and nothing else, and every request that the model accepts needs a route that takes it at once. Asks nobody.
 */
export function checkManifest({ manifest, lineOf }: ReadManifest, context: ManifestContext): Problem[] {
  const problems = checkOffers(manifest, lineOf);
  const shapes = acceptedShapes(manifest);
  if (shapes === undefined) {
    const message = `The model accepts more than ${maxShapes} kinds of requests: let its routes look at fewer options.`;
    return [...problems, { code: 'out_of_range', message, line: lineOf(['routes']) }];
  }
  const names = manifest.routes.map(({ name }) => name);
  for (const [at, route] of manifest.routes.entries()) {
    const check: RouteCheck = {
      ...context,
      manifest,
      route,
      shapes: shapes.filter((shape) => takes(route, shape)),
      add: (code, path, message) =>
        problems.push({
          code,
          message: `Route ${route.name}: ${message}`,
          ...placeIn(route, path),
          line: lineOf(['routes', at, ...path]),
        }),
    };
    if (names.indexOf(route.name) !== at) check.add('choice_unknown', ['name'], 'another has this name.');
    checkRoute(check);
    if (!readsRequest.includes(route.engine)) checkBindings(check);
  }
  const unmet = shapes.filter(
    (shape) => !manifest.routes.some((route) => route.opens === undefined && takes(route, shape)),
  );
  if (unmet.length > 0)
    problems.push({
      code: 'binding_missing',
      message: `No route takes ${unmet.slice(0, 3).map(describeShape).join('; ')} without waiting: every such request needs a route without "opens".`,
      line: lineOf(['routes']),
    });
  return problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

/** The node of the workflow, and its input, that a binding is of. */
function placeIn(
  { nodes }: Route,
  [key, target]: readonly (string | number)[],
): Pick<Problem, 'node' | 'input'> {
  if (key !== 'set' || typeof target !== 'string') return {};
  const [name, input] = splitTarget(target);
  const id = nodes?.[name]?.id;
  return id === undefined ? {} : { node: id, input };
}

/** What a route of a manifest that is in order would set and a machine does not take; `specs` are that machine's. */
export function checkAgainst(manifest: Manifest, route: Route, specs: TargetSpecs): Problem[] {
  const problems: Problem[] = [];
  checkBoundValues({
    manifest,
    route,
    files: new Map(),
    targetsOf: () => specs,
    shapes: (acceptedShapes(manifest) ?? []).filter((shape) => takes(route, shape)),
    add: (code, path, message) => {
      // The rest needs no machine to be seen.
      if (code === 'binding_range') problems.push({ code, message, ...placeIn(route, path) });
    },
  });
  return problems;
}
