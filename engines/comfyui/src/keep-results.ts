import { type Graph, type GraphNode, reachedFrom } from './graph.ts';
import type { Json } from './json.ts';

/** They show images and keep no file of them: one is gone when nobody listens, the other with ComfyUI's next start. */
const withoutFile = new Set(['SaveImageWebsocket', 'PreviewImage']);

/**
 * The graph of what some results need, each of them as a file. What comes by the socket alone could not be had again by
 * whoever takes a job up after a crash; files are found by their names.
 */
export function keepResults(graph: Graph, results: readonly string[]): Graph {
  return new Map(
    Array.from(reachedFrom(graph, results).values(), (node): [string, GraphNode] => [
      node.id,
      results.includes(node.id) && withoutFile.has(node.classType) ? savingNode(node) : node,
    ]),
  );
}

function savingNode(node: GraphNode): GraphNode {
  const inputs = new Map<string, Json>([
    ['images', node.inputs.get('images') ?? null],
    ['filename_prefix', 'result'],
  ]);
  return { ...node, classType: 'SaveImage', inputs };
}
