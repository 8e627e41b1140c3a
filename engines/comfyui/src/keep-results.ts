import { type Graph, type GraphNode, reachedFrom } from './graph.ts';
import type { Json } from './json.ts';

/**
 * These classes show images without keeping files: one loses its image if no client listens, the other at ComfyUI's
 * next start.
 */
const withoutFile = new Set(['SaveImageWebsocket', 'PreviewImage']);

/**
 * Returns the graph that the given results need, with each result saved as a file. A result sent only over the socket
 * would be lost for a process that continues a job after a crash. Files are found by their names.
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
