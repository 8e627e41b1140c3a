import { type BoundValue, EngineFailure, type RouteFiles } from '@renderkit/engine-kit/driver.ts';
import { type JsonValue, mediaSources } from '@renderkit/engine-kit/route.ts';
import { type Graph, linkOf, nameOf, readGraph, withInputs } from './graph.ts';
import { isObject, type Json, JsonError, readJson } from './json.ts';
import { keepResults } from './keep-results.ts';
import { WorkflowError } from './workflow-error.ts';

/** The graph input behind a target of a route. With it a refusal of the engine can be reported to the user. */
export interface BoundInput {
  readonly target: string;
  readonly node: string;
  readonly input: string;
  /** Where the value comes from: a field of the request, a file that we uploaded, or the manifest. */
  readonly origin: 'request' | 'media' | 'manifest';
}

/**
 * Reads the workflow of a route as a graph.
 *
 * @throws EngineFailure blame `pair` if there is no such graph
 */
export function readWorkflow({ route, files }: RouteFiles): Graph {
  const text = files.get(route.workflow ?? '');
  if (text === undefined) throw unfit(`Route ${route.name} names no workflow that is there.`);
  try {
    const file = readJson(text);
    if (isObject(file)) return readGraph(file).graph;
  } catch (cause) {
    if (!(cause instanceof JsonError) && !(cause instanceof WorkflowError)) throw cause;
    throw unfit(`The workflow of route ${route.name}: ${cause.message}`, cause);
  }
  throw unfit(`The workflow of route ${route.name} is no JSON object.`);
}

/** Returns the ids of the nodes that give the route's results, in the route's order. */
export function resultNodes({ route }: Pick<RouteFiles, 'route'>): string[] {
  return (route.outputs.from ?? []).map((name) => nodeOf(route, name));
}

/**
 * Returns the node and the input of a target `name.input`. The first dot separates them.
 *
 * @throws EngineFailure blame `pair`
 */
export function placeOf(route: RouteFiles['route'], target: string): { node: string; input: string } {
  const dot = target.indexOf('.');
  if (dot < 1) throw unfit(`"${target}" in route ${route.name} is no target: it has no dot.`);
  return { node: nodeOf(route, target.slice(0, dot)), input: target.slice(dot + 1) };
}

/**
 * Returns the graph inputs that a route sets, each with the origin of its value.
 *
 * @throws EngineFailure blame `pair`
 */
export function boundInputs({ route }: Pick<RouteFiles, 'route'>): BoundInput[] {
  return Object.entries(route.set).map(([target, { from, value, map, bands }]) => {
    const sources: readonly string[] = from === undefined ? [] : [from].flat();
    const isMedia = sources.some((source) => mediaSources.some((one) => one === source));
    const isOwn = value !== undefined || map !== undefined || bands !== undefined;
    return { target, ...placeOf(route, target), origin: isMedia ? 'media' : isOwn ? 'manifest' : 'request' };
  });
}

export interface Assembly {
  /** The submission's UUID. */
  readonly id: string;
  readonly values: readonly BoundValue[];
  /** Names of the uploaded files by their SHA-256. */
  readonly uploads: ReadonlyMap<string, string>;
}

/**
 * Returns the graph that a job sends: the workflow with the job's values, without nodes that no result needs. Each
 * result is saved under a name that no other job has. Such a name also keeps ComfyUI from answering with files of an
 * earlier run.
 *
 * @throws EngineFailure blame `pair` if the route does not fit its own workflow
 */
export function assembleGraph(files: RouteFiles, { id, values, uploads }: Assembly): Graph {
  const { route } = files;
  let graph = readWorkflow(files);
  for (const bound of values) {
    const { node: nodeId, input } = placeOf(route, bound.target);
    const node = graph.get(nodeId);
    if (node === undefined)
      throw unfit(`"${bound.target}" is set in node ${nodeId}, which the workflow of ${route.name} lacks.`);
    if (linkOf(node.inputs.get(input)) !== undefined && route.set[bound.target]?.replace !== true)
      throw unfit(`"${bound.target}" is set where ${nameOf(node)} has a link; say \`replace: true\`.`);
    graph =
      bound.kind === 'remove'
        ? withoutInput(graph, nodeId, input)
        : withInputs(graph, nodeId, { [input]: valueOf(bound, uploads) });
  }
  const results = resultNodes(files);
  const missing = results.find((result) => !graph.has(result));
  if (missing !== undefined || results.length === 0)
    throw unfit(`Route ${route.name} names no node of its workflow for its results.`);
  graph = keepResults(graph, results);
  for (const { id: nodeId, inputs } of graph.values()) {
    if (!inputs.has('filename_prefix')) continue;
    const at = results.indexOf(nodeId);
    const prefix = at === -1 ? `rk/${id}/other` : resultPrefix(id, at);
    graph = withInputs(graph, nodeId, { filename_prefix: prefix });
  }
  return graph;
}

/**
 * Returns the prefix of the files of a route's result node, below ComfyUI's output folder. `at`: 0-based, in the
 * route's order. `jobValues` in `studio/src/renders/engine-values.ts` makes `job.prefix` the same way.
 */
export function resultPrefix(id: string, at: number): string {
  return `rk/${id}/r${at === 0 ? '' : at + 1}`;
}

/** Creates the error for a route that does not work on this backend. */
export function unfit(message: string, cause?: unknown): EngineFailure {
  return new EngineFailure(message, { blame: 'pair', code: 'engine_unavailable', sent: 'no', cause });
}

function nodeOf(route: RouteFiles['route'], name: string): string {
  const node = Object.hasOwn(route.nodes ?? {}, name) ? route.nodes?.[name] : undefined;
  if (node === undefined) throw unfit(`Route ${route.name} has no node named "${name}".`);
  return node.id;
}

function withoutInput(graph: Graph, id: string, input: string): Graph {
  const node = graph.get(id);
  if (node === undefined) return graph;
  const inputs = new Map([...node.inputs].filter(([name]) => name !== input));
  return new Map([...graph, [id, { ...node, inputs }]]);
}

function valueOf(bound: Exclude<BoundValue, { kind: 'remove' }>, uploads: ReadonlyMap<string, string>): Json {
  if (bound.kind === 'plain') return plainValue(bound.value);
  // A loader takes one file, so a single name is never a list.
  const names = bound.media.map(({ sha256 }) => uploads.get(sha256) ?? '');
  return names.length === 1 ? (names[0] ?? '') : wrapped(names);
}

/** Wraps a list, so that ComfyUI does not take the list for a link. ComfyUI unwraps it. */
function plainValue(value: JsonValue): Json {
  const json = toJson(value);
  return Array.isArray(json) ? wrapped(json as Json[]) : json;
}

function wrapped(list: readonly Json[]): Json {
  return new Map([['__value__', list]]);
}

function toJson(value: JsonValue): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((one: JsonValue) => toJson(one));
  return new Map(Object.entries(value).map(([key, one]) => [key, toJson(one)]));
}
