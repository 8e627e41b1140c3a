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

/** A graph with its classes. Links can be followed in both directions. */
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

  /** Returns the node that an input is linked to, and the output slot of the link. */
  originOf(node: GraphNode, input: string): { readonly node: GraphNode; readonly slot: number } | undefined {
    const link = linkOf(node.inputs.get(input));
    const origin = link && this.graph.get(link.node);
    return link && origin && { node: origin, slot: link.slot };
  }

  consumersOf(node: GraphNode): readonly Consumer[] {
    return this.#consumers.get(node.id) ?? [];
  }

  /** Returns the type of what a link carries, or undefined if the class is not known. */
  typeOf({ node, slot }: Link): string | undefined {
    const origin = this.graph.get(node);
    return origin && this.classOf(origin)?.outputs[slot];
  }

  /** Returns the links that bring in something of a type, with their inputs. */
  linksOfType(node: GraphNode, type: string): { readonly input: string; readonly link: Link }[] {
    return linksOf(node).filter(({ link }) => this.typeOf(link) === type);
  }

  givesType(node: GraphNode, type: string): boolean {
    return this.classOf(node)?.outputs.includes(type) === true;
  }

  /**
   * Returns where the value of an input is: in the input itself, or in a node that only holds this value. Returns
   * undefined if the value is computed or missing.
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
