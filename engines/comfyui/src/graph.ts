import { isArray, isObject, type Json, type JsonObject, writeJson } from './json.ts';
import { refuse, type Warning } from './workflow-error.ts';

/** A node of a graph in API format. An input is a value, or a link to another node's output (see `linkOf`). */
export interface GraphNode {
  readonly id: string;
  readonly classType: string;
  readonly title: string | undefined;
  readonly inputs: ReadonlyMap<string, Json>;
}

/** The graph that ComfyUI runs: nodes by their ids, in the order of the file. */
export type Graph = ReadonlyMap<string, GraphNode>;

/** One output of a node. */
export interface Link {
  readonly node: string;
  readonly slot: number;
}

/** Limit for a graph after its subgraphs were inserted. */
export const maxNodes = 5000;

/** Returns the link if the input's value is a link, else undefined. */
export function linkOf(value: Json | undefined): Link | undefined {
  if (!isArray(value) || value.length !== 2) return undefined;
  const [node, slot] = value;
  if (typeof node !== 'string' || typeof slot !== 'number' || !Number.isInteger(slot)) return undefined;
  return { node, slot };
}

/** Returns the inputs of a node that are links. */
export function linksOf(node: GraphNode): { readonly input: string; readonly link: Link }[] {
  return Array.from(node.inputs, ([input, value]) => ({ input, link: linkOf(value) })).filter(
    (one): one is { input: string; link: Link } => one.link !== undefined,
  );
}

/** Returns all nodes that the given nodes need, and the given nodes, in the graph's order. */
export function reachedFrom(graph: Graph, ids: Iterable<string>): Graph {
  const reached = new Set<string>();
  const waiting = [...ids];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const node = graph.get(id);
    if (node === undefined || reached.has(id)) continue;
    reached.add(id);
    waiting.push(...linksOf(node).map(({ link }) => link.node));
  }
  return new Map([...graph].filter(([id]) => reached.has(id)));
}

/** Returns the graph with some inputs of one node changed. */
export function withInputs(graph: Graph, id: string, changes: Readonly<Record<string, Json>>): Graph {
  const node = graph.get(id);
  if (node === undefined) return graph;
  const inputs = new Map([...node.inputs, ...Object.entries(changes)]);
  return new Map([...graph, [id, { ...node, inputs }]]);
}

/** Returns the name of a node for an operator: class, id and title, if there is one. */
export function nameOf(node: { classType: string; id: string; title: string | undefined }): string {
  const title = node.title === undefined || node.title === node.classType ? '' : ` "${node.title}"`;
  return `${node.classType} ${node.id}${title}`;
}

/**
 * Reads a graph in API format. Leaves out remains of old versions (`is_changed`) and entries that are not nodes.
 *
 * @throws WorkflowError if there is no node, or too many nodes
 */
export function readGraph(prompt: JsonObject): { graph: Graph; warnings: Warning[] } {
  const graph = new Map<string, GraphNode>();
  const warnings: Warning[] = [];
  for (const [id, node] of prompt) {
    const classType = isObject(node) ? node.get('class_type') : undefined;
    if (!isObject(node) || typeof classType !== 'string') {
      warnings.push({ message: `"${id}" in the file is no node and is left out.` });
      continue;
    }
    const inputs = node.get('inputs');
    const meta = node.get('_meta');
    const title = isObject(meta) ? meta.get('title') : undefined;
    graph.set(id, {
      id,
      classType,
      title: typeof title === 'string' && title !== '' ? title : undefined,
      inputs: isObject(inputs) ? inputs : new Map(),
    });
  }
  if (graph.size === 0) throw refuse('not_a_workflow', 'This is not a ComfyUI workflow: it has no nodes.');
  if (graph.size > maxNodes)
    throw refuse(
      'not_a_workflow',
      `The workflow has more than ${maxNodes} nodes. No graph of that size is taken.`,
    );
  return { graph, warnings };
}

/** Writes the graph in API format as JSON text: the text for ComfyUI, with every digit of its seeds. */
export function writeGraph(graph: Graph): string {
  return writeJson(
    new Map(
      Array.from(graph.values(), ({ id, classType, title, inputs }) => [
        id,
        new Map<string, Json>([
          ['class_type', classType],
          ['inputs', inputs],
          ...(title === undefined ? [] : [['_meta', new Map([['title', title]])] as const]),
        ]),
      ]),
    ),
  );
}
