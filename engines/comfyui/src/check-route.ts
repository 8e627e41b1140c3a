import type { RouteFiles } from '@renderkit/engine-kit/driver.ts';
import { EngineFailure } from '@renderkit/engine-kit/driver.ts';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { Binding, JsonValue } from '@renderkit/engine-kit/route.ts';
import { boundInputs, placeOf, readWorkflow, resultNodes } from './assemble-graph.ts';
import { checkGraph } from './check-graph.ts';
import { checkValue } from './check-value.ts';
import type { ClassCatalog } from './classes.ts';
import { type Graph, nameOf, reachedFrom } from './graph.ts';
import type { Json } from './json.ts';
import { findInput, type ObjectInfo } from './object-info.ts';

interface Place {
  readonly backend: string;
  readonly catalog: ClassCatalog;
}

/**
 * Returns what keeps a route from running on a backend: missing classes, missing model files, values that inputs do not
 * take. An input that the route sets is checked against the values that the route may set, not against the saved value.
 * What requests may set is checked by `manifests/src/check-machine.ts`, with the result of `target-specs.ts`.
 *
 * @throws EngineFailure if the backend cannot be asked
 */
export async function checkRoute(
  files: RouteFiles,
  { backend, catalog }: Place,
  signal: AbortSignal,
): Promise<Problem[]> {
  let graph: Graph;
  try {
    graph = reachedFrom(readWorkflow(files), resultNodes(files));
    boundInputs(files);
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    return [{ code: 'not_a_workflow', message: error.message }];
  }
  const misnamed = findMisnamedNodes(files, graph);
  const classes = await catalog.find(
    [...graph.values()].map(({ classType }) => classType),
    signal,
  );
  const downloads = new Map(
    (files.route.requires?.models ?? []).flatMap(({ input, url }) => {
      const { node, input: name } = placeOf(files.route, input);
      const value = graph.get(node)?.inputs.get(name);
      return url === undefined || typeof value !== 'string' ? [] : [[value, url] as const];
    }),
  );
  const packs = (files.route.requires?.packs ?? []).map(({ name, version }) =>
    `${name} ${version ?? ''}`.trim(),
  );
  const isBound = new Set(boundInputs(files).map(({ node, input }) => `${node} ${input}`));
  const found = checkGraph(graph, classes, { backend, downloads }).problems.filter(
    ({ node, input, code }) =>
      // Links are part of the graph, whatever values the route sets.
      code === 'cycle' || input === undefined || !isBound.has(`${node} ${input}`),
  );
  return [
    ...misnamed,
    ...found.map((problem) => withPacks(problem, packs)),
    ...checkBindings(files, { graph, classes, backend }),
  ];
}

function findMisnamedNodes({ route }: RouteFiles, graph: Graph): Problem[] {
  return Object.entries(route.nodes ?? {}).flatMap(([name, { id, class: classType }]) => {
    const node = graph.get(id);
    if (node?.classType === classType) return [];
    const is = node === undefined ? 'not needed for any result, or not there' : nameOf(node);
    return [
      {
        code: 'node_missing' as const,
        message: `"${name}" is node ${id} of class ${classType}; in the workflow that is ${is}.`,
        node: id,
      },
    ];
  });
}

function withPacks(problem: Problem, packs: readonly string[]): Problem {
  if (problem.code !== 'node_missing' || packs.length === 0) return problem;
  return { ...problem, message: `${problem.message} The workflow was made with ${packs.join(', ')}.` };
}

function checkBindings(
  { route }: RouteFiles,
  { graph, classes, backend }: { graph: Graph; classes: ObjectInfo; backend: string },
): Problem[] {
  return Object.entries(route.set).flatMap(([target, binding]) => {
    const { node: id, input } = placeOf(route, target);
    const node = graph.get(id);
    const nodeClass = node && classes.get(node.classType);
    if (node === undefined || nodeClass === undefined) return [];
    const spec = findInput(nodeClass, input, node.inputs);
    if (spec === undefined)
      return [
        {
          code: 'input_missing' as const,
          message: `"${target}" is set, and ${nameOf(node)} has no input "${input}" on ${backend}.`,
          node: id,
          input,
        },
      ];
    return ownValues(binding).flatMap((value) => {
      const issue = checkValue(node, spec, value, { backend, downloads: undefined });
      return issue === undefined ? [] : [{ ...issue, node: id, input }];
    });
  });
}

/** Returns the values that the manifest itself may set through a binding. */
function ownValues({ value, map, bands, default: initial, min, max, picture }: Binding): Json[] {
  if (picture !== undefined) return [];
  const values = [
    value,
    initial,
    min,
    max,
    ...Object.values(map ?? {}),
    ...(bands ?? []).map((band) => band.value),
  ];
  return values.filter(
    (one): one is Extract<JsonValue, string | number> => typeof one === 'string' || typeof one === 'number',
  );
}
