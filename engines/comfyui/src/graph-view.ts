import { type Graph, type GraphNode, type Link, linkOf, linksOf } from './graph.ts';
import type { Json } from './json.ts';
import { findInput, type InputSpec, type NodeClass, type ObjectInfo } from './object-info.ts';

/** An input of a node that holds a value. */
export interface ValueInput {
  readonly node: GraphNode;
  readonly input: string;
  readonly value: Json;
}

/** A node's input that takes another node's output. */
export interface Consumer {
  readonly node: GraphNode;
  readonly input: string;
  readonly slot: number;
}

/** A graph with its classes, to be walked up and down. */
export class GraphView {
  readonly graph: Graph;
  readonly classes: ObjectInfo;
  readonly #consumers = new Map<string, Consumer[]>();

  constructor(graph: Graph, classes: ObjectInfo) {
    this.graph = graph;
    this.classes = classes;
    for (const node of graph.values()) {
      for (const { input, link } of linksOf(node)) {
        const consumers = this.#consumers.get(link.node) ?? [];
        consumers.push({ node, input, slot: link.slot });
        this.#consumers.set(link.node, consumers);
      }
    }
  }

  get nodes(): Iterable<GraphNode> {
    return this.graph.values();
  }

  classOf(node: GraphNode): NodeClass | undefined {
    return this.classes.get(node.classType);
  }

  specOf(node: GraphNode, input: string): InputSpec | undefined {
    const nodeClass = this.classOf(node);
    return nodeClass && findInput(nodeClass, input, node.inputs);
  }

  /** The node that an input is linked to, and by which of its outputs. */
  originOf(node: GraphNode, input: string): { readonly node: GraphNode; readonly slot: number } | undefined {
    const link = linkOf(node.inputs.get(input));
    const origin = link && this.graph.get(link.node);
    return link && origin && { node: origin, slot: link.slot };
  }

  consumersOf(node: GraphNode): readonly Consumer[] {
    return this.#consumers.get(node.id) ?? [];
  }

  /** The type of what a link carries; undefined where the class is not known. */
  typeOf({ node, slot }: Link): string | undefined {
    const origin = this.graph.get(node);
    return origin && this.classOf(origin)?.outputs[slot];
  }

  /** The inputs by which something of a type comes in, and where from. */
  linksOfType(node: GraphNode, type: string): { readonly input: string; readonly link: Link }[] {
    return linksOf(node).filter(({ link }) => this.typeOf(link) === type);
  }

  givesType(node: GraphNode, type: string): boolean {
    return this.classOf(node)?.outputs.includes(type) === true;
  }

  /**
   * Where the value of an input stands: in the input itself, or in the node that does nothing but hold a value for it.
   * Undefined where something is computed, or nothing is there.
   */
  valueOf(node: GraphNode, input: string): ValueInput | undefined {
    const value = node.inputs.get(input);
    if (value === undefined) return undefined;
    const origin = this.originOf(node, input)?.node;
    if (linkOf(value) === undefined) return { node, input, value };
    if (origin === undefined) return undefined;
    const own = [...origin.inputs].filter(([, one]) => linkOf(one) === undefined);
    const [only] = own;
    if (only === undefined || own.length > 1 || own.length < origin.inputs.size) return undefined;
    return { node: origin, input: only[0], value: only[1] };
  }
}
