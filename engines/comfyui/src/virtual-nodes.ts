import type { Json } from './json.ts';
import { isArray } from './json.ts';
import type { Scope } from './scopes.ts';
import { nodeModes, type UiNode } from './ui-workflow.ts';

/** Nodes that exist in the editor alone: what they do is done when the graph is made. */
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

/** Nodes that lay links when the workflow is queued, by rules of their own: nobody else can know these links. */
const rewiring = [
  /^Anything Everywhere\b/,
  /^(?:Prompts|Seed) Everywhere$/,
  /^Simple String \(UE\)$/,
  /^easy (?:set|get)Node$/,
];

/** What a node of the editor alone is; undefined for nodes that ComfyUI runs. */
export function virtualKind(node: UiNode): VirtualKind | undefined {
  return Object.hasOwn(kinds, node.type) ? kinds[node.type] : undefined;
}

/** True for nodes that lay links of their own when the workflow is queued. */
export function rewiresGraph(node: UiNode): boolean {
  return rewiring.some((shape) => shape.test(node.type));
}

/** The first value of a node: a primitive's value, a note's text, the name of a Set or Get. */
export function firstValue(node: UiNode): Json | undefined {
  if (node.namedValues !== undefined) return [...node.namedValues.values()][0];
  return isArray(node.values) ? node.values[0] : undefined;
}

/** The Set nodes that a Get means: those of its name in the same graph, else in the graphs around it. */
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
