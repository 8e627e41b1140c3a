import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import { type Graph, type GraphNode, linksOf, nameOf } from './graph.ts';
import { isArray, type Json } from './json.ts';
import { autogrow, findInput, hasWidget, inputsOf, type NodeClass, type ObjectInfo } from './object-info.ts';
import { LinkResolver, type NamedSource } from './resolve-links.ts';
import { nodesOf, openScopes, pathOf, type Scope } from './scopes.ts';
import { nodeModes, packOf, type UiNode, type UiWorkflow } from './ui-workflow.ts';
import { firstValue, rewiresGraph, virtualKind } from './virtual-nodes.ts';
import { type Warning, WorkflowError } from './workflow-error.ts';
import { defaultOf, placeValues } from './widget-slots.ts';

export interface ConvertedWorkflow {
  /** Only the nodes that the outputs need. Nodes of subgraphs have paths as ids: `12:3`. */
  readonly graph: Graph;
  /** Names that the author gave to single inputs, by promoting them out of a subgraph or by a primitive. */
  readonly namedInputs: readonly NamedInput[];
  readonly warnings: readonly Warning[];
}

/** An input of the graph with a name that its author gave it. */
export interface NamedInput extends NamedSource {
  readonly target: { readonly node: string; readonly input: string };
}

const exportHint = 'Export the workflow in API format (File → Export (API)).';

/**
 * Converts a workflow in UI format into the graph that ComfyUI's own editor would queue. Strict: a node whose values
 * cannot be placed for certain is refused by name.
 *
 * @throws WorkflowError with every problem that was found
 */
export function convertWorkflow(workflow: UiWorkflow, classes: ObjectInfo): ConvertedWorkflow {
  const root = openScopes(workflow);
  const nodes = [...nodesOf(root)];
  const refused = nodes.flatMap(({ scope, node }) => refusal(workflow, scope, node));
  if (refused.length > 0) throw new WorkflowError(refused);
  const conversion = new Conversion(classes, nodes);
  conversion.addOutputs();
  if (conversion.problems.length > 0) throw new WorkflowError(conversion.problems);
  return {
    // In the order of the file, so that two imports of one workflow differ little.
    graph: new Map(
      nodes.flatMap(({ scope, node }): [string, GraphNode][] => {
        const id = pathOf(scope, node);
        const made = conversion.made.get(id);
        return made === undefined ? [] : [[id, made]];
      }),
    ),
    namedInputs: conversion.namedInputs,
    warnings: conversion.warnings,
  };
}

/** Returns the texts of a workflow's notes. */
export function readNotes(workflow: UiWorkflow): string[] {
  return [workflow.root, ...workflow.subgraphs.values()].flatMap(({ nodes }) =>
    Array.from(nodes.values()).flatMap((node) => {
      const text = virtualKind(node) === 'note' ? firstValue(node) : undefined;
      return typeof text === 'string' && text.trim() !== '' ? [text] : [];
    }),
  );
}

function refusal(workflow: UiWorkflow, scope: Scope, node: UiNode): Problem[] {
  if (isOff(node)) return [];
  const id = pathOf(scope, node);
  if (/^workflow[>/]/.test(node.type) || workflow.groupNodes.has(node.type)) {
    const message = `Node ${id} "${node.title ?? node.type}" is a group node, which ComfyUI has given up. Convert it to a subgraph, or export the workflow in API format.`;
    return [{ code: 'group_node', message, node: id }];
  }
  if (rewiresGraph(node)) {
    const message = `Node ${id} "${node.type}" lays links of its own when the workflow is queued. ${exportHint}`;
    return [{ code: 'unsupported_node', message, node: id }];
  }
  return [];
}

function isOff(node: UiNode): boolean {
  return node.mode === nodeModes.never || node.mode === nodeModes.bypass;
}

interface Placed {
  readonly scope: Scope;
  readonly node: UiNode;
}

class Conversion {
  readonly made = new Map<string, GraphNode>();
  readonly namedInputs: NamedInput[] = [];
  readonly warnings: Warning[] = [];
  readonly problems: Problem[] = [];
  readonly #classes: ObjectInfo;
  readonly #resolver = new LinkResolver(this.problems);
  /** Nodes that ComfyUI would run, by their ids. */
  readonly #live: ReadonlyMap<string, Placed>;

  constructor(classes: ObjectInfo, nodes: readonly Placed[]) {
    this.#classes = classes;
    this.#live = new Map(
      nodes
        .filter(({ node }) => !isOff(node) && virtualKind(node) === undefined)
        .map((placed) => [pathOf(placed.scope, placed.node), placed]),
    );
  }

  /** Adds the nodes that give results, and all nodes that they need. */
  addOutputs(): void {
    const outputs = [...this.#live].filter(([, { node }]) => this.#classOf(node)?.isOutput === true);
    const unknown = [...this.#live].filter(([, { node }]) => this.#classOf(node) === undefined);
    if (outputs.length === 0) {
      // The missing node may be the node that saves the result.
      for (const [, placed] of unknown) this.#miss(placed);
      const message = 'The workflow has no node that saves or shows a result.';
      if (unknown.length === 0) this.problems.push({ code: 'no_output', message });
      return;
    }
    const waiting = outputs.map(([id]) => id);
    const seen = new Set<string>();
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const placed = seen.has(id) ? undefined : this.#live.get(id);
      seen.add(id);
      const made = placed && this.#make(id, placed);
      if (made === undefined) continue;
      this.made.set(id, made);
      waiting.push(...linksOf(made).map(({ link }) => link.node));
    }
    for (const [id, { node }] of unknown) {
      if (!seen.has(id))
        this.warnings.push({
          message: `Node ${id} "${node.type}" is unknown; no result needs it.`,
          node: id,
        });
    }
  }

  /** The editor queues the node's type as the class. The other name helps if a pack has renamed the type. */
  #classOf(node: UiNode): NodeClass | undefined {
    const other = node.properties.get('Node name for S&R');
    return this.#classes.get(node.type) ?? (typeof other === 'string' ? this.#classes.get(other) : undefined);
  }

  #make(id: string, placed: Placed): GraphNode | undefined {
    const { scope, node } = placed;
    const nodeClass = this.#classOf(node);
    if (nodeClass === undefined) {
      this.#miss(placed);
      return undefined;
    }
    const linked = new Set(node.inputs.filter(({ link }) => link !== undefined).map(({ name }) => name));
    const saved = placeValues(nodeClass, node, linked);
    const made = { id, classType: nodeClass.name, title: node.title };
    if ('error' in saved) {
      const message = `${nameOf(made)}: ${saved.error}. ${exportHint}`;
      this.problems.push({ code: 'unsupported_node', message, node: id });
      return undefined;
    }
    const inputs = new Map(
      Array.from(saved.values, ([name, value]) => [
        name,
        wrapped(value, findInput(nodeClass, name, saved.values)?.type),
      ]),
    );
    for (const name of hiddenWidgets(nodeClass, inputs)) this.#bring(scope, node, id, name, inputs);
    for (const input of node.inputs) {
      if (input.link === undefined) continue;
      if (findInput(nodeClass, input.name, inputs) === undefined)
        this.warnings.push({
          message: `${nameOf(made)} has a link to "${input.name}", which its class does not name.`,
          node: id,
        });
      const origin = this.#resolver.resolve(scope, input);
      if (origin === undefined) continue;
      this.#name(origin.names, id, input.name);
      if ('link' in origin) inputs.set(input.name, [origin.link.node, origin.link.slot]);
      else if ('value' in origin) inputs.set(input.name, wrapped(origin.value));
    }
    this.#complete(made, nodeClass, inputs, saved.defaulted);
    return { ...made, inputs: inOrder(nodeClass, inputs) };
  }

  /** Takes the value that a subgraph's node holds for a widget without a link. */
  #bring(scope: Scope, node: UiNode, id: string, name: string, inputs: Map<string, Json>): void {
    const origin = this.#resolver.promotedValue(scope, node, name);
    if (origin === undefined) return;
    if ('value' in origin) inputs.set(name, wrapped(origin.value));
    this.#name(origin.names, id, name);
  }

  #name(names: readonly NamedSource[], node: string, input: string): void {
    for (const name of names) this.namedInputs.push({ ...name, target: { node, input } });
  }

  /** Adds values that the file does not have, if the class defines a default. */
  #complete(
    node: Omit<GraphNode, 'inputs'>,
    nodeClass: NodeClass,
    inputs: Map<string, Json>,
    defaulted: readonly string[],
  ): void {
    for (const spec of inputsOf(nodeClass, inputs)) {
      if (inputs.has(spec.name) || spec.type === autogrow) continue;
      const value = hasWidget(spec) ? defaultOf(spec) : undefined;
      if (value !== undefined && (spec.required || defaulted.includes(spec.name))) {
        inputs.set(spec.name, wrapped(value));
        this.warnings.push({
          message: `${nameOf(node)}: the file has no value for "${spec.name}"; its default is used.`,
          node: node.id,
        });
      } else if (spec.required) {
        const message = `${nameOf(node)}: nothing is connected to "${spec.name}".`;
        this.problems.push({ code: 'input_missing', message, node: node.id, input: spec.name });
      }
    }
  }

  #miss({ scope, node }: Placed): void {
    const id = pathOf(scope, node);
    const pack = packOf(node);
    const where = pack === undefined ? '' : ` It is in ${pack}.`;
    this.problems.push({
      code: 'node_missing',
      message: `There is no node ${node.type} (node ${id}).${where}`,
      node: id,
    });
  }
}

/** Returns the widgets whose value the node of a subgraph may hold. */
function hiddenWidgets(nodeClass: NodeClass, inputs: ReadonlyMap<string, Json>): string[] {
  return inputsOf(nodeClass, inputs)
    .filter(hasWidget)
    .map(({ name }) => name);
}

/** Wraps a list, because ComfyUI would take a plain list for a link. A curve also names its type. */
function wrapped(value: Json, type?: string): Json {
  if (!isArray(value)) return value;
  const wrapping = new Map<string, Json>([['__value__', value]]);
  return type === 'CURVE' ? new Map<string, Json>([['__type__', type], ...wrapping]) : wrapping;
}

function inOrder(nodeClass: NodeClass, inputs: ReadonlyMap<string, Json>): Map<string, Json> {
  const known = inputsOf(nodeClass, inputs).map(({ name }) => name);
  const ordered = new Map<string, Json>();
  for (const name of [...known, ...inputs.keys()]) {
    const value = inputs.get(name);
    if (value !== undefined && !ordered.has(name)) ordered.set(name, value);
  }
  return ordered;
}
