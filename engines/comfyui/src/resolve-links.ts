import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { Link } from './graph.ts';
import { type Json, writeJson } from './json.ts';
import { typesMeet } from './object-info.ts';
import { type HostValues, noValues, pathOf, readHostValues, type Scope } from './scopes.ts';
import { nodeModes, subgraphInput, subgraphOutput, type UiInput, type UiNode } from './ui-workflow.ts';
import { findSetNodes, firstValue, virtualKind } from './virtual-nodes.ts';
import { WorkflowError } from './workflow-error.ts';

/** Where an input gets its value. Undefined: it has no source, so its own widget's value counts. */
export type Origin =
  | { readonly link: Link; readonly names: readonly NamedSource[] }
  | { readonly value: Json; readonly names: readonly NamedSource[] }
  /** The source is a subgraph's input that is bound to nothing: the widget's own value counts. */
  | { readonly names: readonly NamedSource[] }
  | undefined;

/** A name that the author gave to an input on the way: the name of a subgraph's input, or the title of a primitive. */
export interface NamedSource {
  /** Id of the node that carries the name. `widget` is the widget of this node. */
  readonly node: string;
  readonly widget: string;
  readonly label: string;
}

/** Limit for a chain of reroutes, bypassed nodes and subgraphs. Real workflows have shorter chains. */
const maxHops = 500;

/** Follows links through parts that are not run: reroutes, Set and Get, bypassed nodes, the borders of subgraphs. */
export class LinkResolver {
  readonly #problems: Problem[];
  readonly #hostValues = new Map<Scope, HostValues>();

  /** The resolver adds problems on the way to `problems`. */
  constructor(problems: Problem[]) {
    this.#problems = problems;
  }

  /** Returns the source of an input that has a link. */
  resolve(scope: Scope, input: UiInput): Origin {
    return this.#followLink(scope, input.link, input.type, { hops: 0, names: [] });
  }

  /**
   * Returns what a subgraph's node stores for an inner widget in the older form without a link: a name, perhaps with a
   * value.
   */
  promotedValue(scope: Scope, node: UiNode, widget: string): Origin {
    const { host } = scope;
    const { widgets, shown } = this.#valuesOf(scope);
    const key = `${node.id}.${widget}`;
    if (host === undefined || !shown.has(key)) return undefined;
    const names = [{ node: pathOf(host.scope, host.node), widget, label: widget }];
    const value = widgets.get(key);
    return value === undefined ? { names } : { value, names };
  }

  #followLink(scope: Scope, id: string | undefined, wanted: string, way: Way): Origin {
    const link = id === undefined ? undefined : scope.graph.links.get(id);
    if (link === undefined) return undefined;
    if (way.hops > maxHops) {
      this.#problems.push({ code: 'cycle', message: 'Links of the workflow run in a circle.' });
      return undefined;
    }
    const onward = { ...way, hops: way.hops + 1 };
    if (link.from === subgraphInput) return this.#leaveSubgraph(scope, link.fromSlot, wanted, onward);
    const node = scope.graph.nodes.get(link.from);
    return node && this.#followOutput(scope, node, link.fromSlot, wanted, onward);
  }

  #followOutput(scope: Scope, node: UiNode, slot: number, wanted: string, way: Way): Origin {
    if (node.mode === nodeModes.never) return undefined;
    if (node.mode === nodeModes.bypass) {
      const input = passedInput(node, slot, wanted);
      return this.#followLink(scope, input?.link, wanted, way);
    }
    const inner = scope.inner.get(node.id);
    if (inner !== undefined) return this.#enterSubgraph(inner, slot, wanted, way);
    switch (virtualKind(node)) {
      case 'reroute':
      case 'set':
        return this.#followLink(scope, node.inputs[0]?.link, wanted, way);
      case 'get':
        return this.#followGet(scope, node, wanted, way);
      case 'primitive': {
        const name = { node: pathOf(scope, node), widget: 'value', label: node.title ?? '' };
        return { value: firstValue(node) ?? null, names: [...way.names, name] };
      }
      case 'note':
        return undefined;
      default:
        return { link: { node: pathOf(scope, node), slot }, names: way.names };
    }
  }

  #followGet(scope: Scope, get: UiNode, wanted: string, way: Way): Origin {
    const found = findSetNodes(scope, get);
    const [set] = found;
    if (set !== undefined && found.length === 1)
      return this.#followOutput(set.scope, set.node, 0, wanted, way);
    const name = writeJson(firstValue(get) ?? '');
    this.#problems.push({
      code: 'unsupported_node',
      message: `GetNode ${pathOf(scope, get)} asks for ${name}, and ${set === undefined ? 'no' : 'more than one'} SetNode has that name.`,
      node: pathOf(scope, get),
    });
    return undefined;
  }

  #enterSubgraph(inner: Scope, slot: number, wanted: string, way: Way): Origin {
    const output = inner.graph.outputs[slot];
    const link =
      output?.links.find((id) => inner.graph.links.get(id)?.to === subgraphOutput) ??
      inner.graph.links.entries().find(([, { to, toSlot }]) => to === subgraphOutput && toSlot === slot)?.[0];
    return this.#followLink(inner, link, wanted, way);
  }

  /** Goes from a subgraph's input to what its node has there: a link, a value, or nothing. */
  #leaveSubgraph(scope: Scope, slot: number, wanted: string, way: Way): Origin {
    const { host } = scope;
    const boundary = scope.graph.inputs[slot];
    if (host === undefined || boundary === undefined) return undefined;
    const outer = host.node.inputs.find(({ name }) => name === boundary.name) ?? host.node.inputs[slot];
    const name = { node: pathOf(host.scope, host.node), widget: boundary.name, label: boundary.label };
    const names = [...way.names, name];
    if (outer?.link !== undefined) return this.#followLink(host.scope, outer.link, wanted, { ...way, names });
    const around = this.promotedValue(host.scope, host.node, boundary.name);
    if (around !== undefined && 'value' in around)
      return { value: around.value, names: [...names, ...around.names] };
    const value = this.#valuesOf(scope).inputs.get(boundary.name);
    return value === undefined ? { names } : { value, names };
  }

  #valuesOf(scope: Scope): HostValues {
    const known = this.#hostValues.get(scope);
    if (known !== undefined) return known;
    let values = noValues;
    try {
      values = readHostValues(scope);
    } catch (error) {
      if (!(error instanceof WorkflowError)) throw error;
      this.#problems.push(...error.problems);
    }
    this.#hostValues.set(scope, values);
    return values;
  }
}

interface Way {
  readonly hops: number;
  readonly names: readonly NamedSource[];
}

/** Returns the input that a bypassed node passes on to one of its outputs. */
function passedInput(node: UiNode, slot: number, wanted: string): UiInput | undefined {
  const beside = node.inputs[slot];
  if (wanted === '*' || wanted === '') return beside ?? node.inputs[0];
  const output = node.outputs[slot] ?? '*';
  if (beside !== undefined && typesMeet(beside.type, output) && typesMeet(beside.type, wanted)) return beside;
  return (
    node.inputs.find(({ type }) => type === wanted) ?? node.inputs.find(({ type }) => typesMeet(type, wanted))
  );
}
