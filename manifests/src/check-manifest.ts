import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { Route } from '@renderkit/engine-kit/route.ts';
import { acceptedShapes, describeShape, maxShapes, takes } from './accepted-requests.ts';
import { checkBindings } from './check-bindings.ts';
import { checkMachine } from './check-machine.ts';
import { checkOffers } from './check-offers.ts';
import { checkRoute } from './check-route.ts';
import { type Manifest, manifestName } from './manifest.ts';
import { readManifest, type ReadManifest } from './read-manifest.ts';
import type { Machine, ManifestContext, RouteCheck } from './check-context.ts';
import { splitTarget } from './workflow-file.ts';

/** Engines that read the request itself, so that every parameter counts as used. */
const readsRequest: readonly Route['engine'][] = ['procedural', 'sandbox'];

/**
 * Returns the problems of a manifest as a whole. Its offers must be consistent. Every route must use exactly what a
 * user can request from it. Every request that the model accepts needs a route that takes it at once.
 * `read-manifest.ts` has checked the keys and types before. Sends no requests.
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

/** Returns the node of the workflow, and its input, that a binding sets. */
function placeIn(
  { nodes }: Route,
  [key, target]: readonly (string | number)[],
): Pick<Problem, 'node' | 'input'> {
  if (key !== 'set' || typeof target !== 'string') return {};
  const [name, input] = splitTarget(target);
  const id = nodes?.[name]?.id;
  return id === undefined ? {} : { node: id, input };
}

/**
 * Returns what a route would set that a backend does not accept. `at` is the route's index among the routes. Each
 * problem has its line and its file. `withSteps`: as for `checkMachine`.
 */
export function checkAgainst(
  { manifest, source }: { manifest: Manifest; source: string },
  at: number,
  machine: Machine,
  options: { withSteps: boolean },
): Problem[] {
  const route = manifest.routes[at];
  if (route === undefined) throw new Error(`${manifest.id} has no route ${at}`);
  const found: { code: Problem['code']; path: readonly (string | number)[]; message: string }[] = [];
  const shapes = (acceptedShapes(manifest) ?? []).filter((shape) => takes(route, shape));
  const add: RouteCheck['add'] = (code, path, message) => found.push({ code, path, message });
  checkMachine({ manifest, route, shapes, machine, files: new Map(), add }, options);
  if (found.length === 0) return [];
  const { lineOf } = readManifest(source);
  return found.map(({ code, path, message }) => ({
    code,
    message: `${manifestName(manifest.id, source)}, route ${route.name}: ${message}`,
    ...placeIn(route, path),
    ...(lineOf !== undefined && { line: lineOf(['routes', at, ...path]) }),
  }));
}
