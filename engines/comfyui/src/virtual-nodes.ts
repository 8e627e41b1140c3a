import type { Json } from './json.ts';
import { isArray } from './json.ts';
import type { Scope } from './scopes.ts';
import { nodeModes, type UiNode } from './ui-workflow.ts';

/**
 * Nodes that exist only in the editor. Their effect is applied when the graph is made. `resolve-links.ts` follows links
 * through them.
 */
export type VirtualKind = 'note' | 'reroute' | 'primitive' | 'set' | 'get';

const kinds: Readonly<Record<string, VirtualKind>> = {
  Note: 'note',
  MarkdownNote: 'note',
  'Label (rgthree)': 'note',
  Reroute: 'reroute',
  'Reroute (rgthree)': 'reroute',
  PrimitiveNode: 'primitive',
  SetNode: 'set',
  GetNode: 'get',
};

/** Nodes that add links by their own rules when the workflow is queued. The file does not show these links. */
const rewiring = [
  /^Anything Everywhere\b/,
  /^(?:Prompts|Seed) Everywhere$/,
  /^Simple String \(UE\)$/,
  /^easy (?:set|get)Node$/,
];

/** Returns the kind of a node that exists only in the editor; undefined for nodes that ComfyUI runs. */
export function virtualKind(node: UiNode): VirtualKind | undefined {
  return Object.hasOwn(kinds, node.type) ? kinds[node.type] : undefined;
}

/** Returns true for nodes that add their own links when the workflow is queued. */
export function rewiresGraph(node: UiNode): boolean {
  return rewiring.some((shape) => shape.test(node.type));
}

/** Returns the first value of a node: a primitive's value, a note's text, the name of a Set or Get. */
export function firstValue(node: UiNode): Json | undefined {
  if (node.namedValues !== undefined) return [...node.namedValues.values()][0];
  return isArray(node.values) ? node.values[0] : undefined;
}

/**
 * Returns the Set nodes that a Get refers to: those with its name in the same graph, else in the surrounding graphs.
 */
export function findSetNodes(scope: Scope, get: UiNode): { readonly scope: Scope; readonly node: UiNode }[] {
  const name = firstValue(get);
  const nodes = [...scope.graph.nodes.values()].filter(
    (node) =>
      virtualKind(node) === 'set' &&
      node.mode !== nodeModes.never &&
      name !== undefined &&
      firstValue(node) === name,
  );
  if (nodes.length > 0) return nodes.map((node) => ({ scope, node }));
  return scope.host === undefined ? [] : findSetNodes(scope.host.scope, get);
}
