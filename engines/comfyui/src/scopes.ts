import { maxNodes } from './graph.ts';
import { type Json, isArray, isObject } from './json.ts';
import {
  type Boundary,
  nodeModes,
  textOf,
  type UiGraph,
  type UiNode,
  type UiWorkflow,
} from './ui-workflow.ts';
import { refuse, WorkflowError } from './workflow-error.ts';

/** One use of a graph: the workflow itself, or a subgraph in place of its node. */
export interface Scope {
  readonly graph: UiGraph;
  /** Prefix of the ids of its nodes: empty, `12:` for the subgraph at node 12, `12:5:` for a subgraph inside it. */
  readonly path: string;
  /** The subgraph's node in the surrounding graph. */
  readonly host: { readonly scope: Scope; readonly node: UiNode } | undefined;
  /** Scopes of inner subgraphs, by the id of the subgraph's node. */
  readonly inner: ReadonlyMap<string, Scope>;
}

/** Limit for subgraphs within subgraphs. */
const maxNesting = 30;

/** Returns the id of a node in the graph that is run. */
export function pathOf(scope: Scope, node: UiNode): string {
  return scope.path + node.id;
}

/**
 * Replaces the nodes of subgraphs by their content. Muted and bypassed ones stay closed.
 *
 * @throws WorkflowError if a subgraph contains itself, or if all together are too large
 */
export function openScopes(workflow: UiWorkflow): Scope {
  let nodes = 0;
  const open = (graph: UiGraph, path: string, host: Scope['host'], within: readonly UiGraph[]): Scope => {
    if (within.includes(graph)) throw refuse('cycle', 'A subgraph of the workflow contains itself.');
    if (within.length > maxNesting)
      throw refuse(
        'not_a_workflow',
        `The subgraphs of the workflow are nested more than ${maxNesting} deep.`,
      );
    nodes += graph.nodes.size;
    if (nodes > maxNodes)
      throw refuse(
        'not_a_workflow',
        `The workflow has more than ${maxNodes} nodes. No graph of that size is taken.`,
      );
    const inner = new Map<string, Scope>();
    const scope: Scope = { graph, path, host, inner };
    for (const node of graph.nodes.values()) {
      const subgraph = workflow.subgraphs.get(node.type);
      if (subgraph === undefined || node.mode === nodeModes.never || node.mode === nodeModes.bypass) continue;
      inner.set(node.id, open(subgraph, `${path}${node.id}:`, { scope, node }, [...within, graph]));
    }
    return scope;
  };
  return open(workflow.root, '', undefined, []);
}

/** Yields all nodes with their scopes. The nodes of a subgraph come in place of the subgraph's node. */
export function* nodesOf(scope: Scope): Generator<{ readonly scope: Scope; readonly node: UiNode }> {
  for (const node of scope.graph.nodes.values()) {
    const inner = scope.inner.get(node.id);
    if (inner === undefined) yield { scope, node };
    else yield* nodesOf(inner);
  }
}

/** Values that a subgraph's node holds for inputs and widgets inside the subgraph. */
export interface HostValues {
  /** By the name of the subgraph's input. */
  readonly inputs: ReadonlyMap<string, Json>;
  /** By `inner node id.widget`: the older form, which does not use the inputs. */
  readonly widgets: ReadonlyMap<string, Json>;
  /** Inner widgets that the node shows as its own, in the form `inner node id.widget`, with or without a value. */
  readonly shown: ReadonlySet<string>;
}

/** The values of a subgraph's node that holds none. */
export const noValues: HostValues = { inputs: new Map(), widgets: new Map(), shown: new Set() };
const controlWord = /^(?:fixed|increment|decrement|randomize|increment-wrap)$/;

/**
 * Reads the promoted values of a subgraph's node.
 *
 * @throws WorkflowError if the values cannot be assigned to inputs
 */
export function readHostValues({ graph, host }: Scope): HostValues {
  if (host === undefined) return noValues;
  const { node } = host;
  const named = node.namedValues ?? (isObject(node.values) ? node.values : undefined);
  const proxies = readProxies(node);
  const shown = new Set(proxies?.map(([id, widget]) => `${id}.${widget}`));
  if (named !== undefined) return { inputs: withoutNull(named), widgets: new Map(), shown };
  const saved = isArray(node.values) ? node.values : [];
  if (saved.every((value) => value === null)) return { ...noValues, shown };
  const placed = placeHostValues({ graph, node, proxies, shown }, saved);
  // A preview that the node shows adds an empty text after the values.
  const values =
    placed ?? (saved.at(-1) === '' && placeHostValues({ graph, node, proxies, shown }, saved.slice(0, -1)));
  if (values) return values;
  throw new WorkflowError([
    {
      code: 'unsupported_node',
      message: `The values of the subgraph at node ${pathOf(host.scope, node)} cannot be told apart. Export the workflow in API format (File → Export (API)).`,
      node: pathOf(host.scope, node),
    },
  ]);
}

interface Host {
  readonly graph: UiGraph;
  readonly node: UiNode;
  readonly proxies: [id: string, widget: string][] | undefined;
  readonly shown: ReadonlySet<string>;
}

/** Assigns the values to inputs and widgets. Returns undefined if this is ambiguous. */
function placeHostValues(
  { graph, node, proxies, shown }: Host,
  values: readonly Json[],
): HostValues | undefined {
  if (proxies !== undefined && proxies.length === values.length)
    return { ...placeByProxies(proxies, values), shown };
  const widgets = graph.inputs.filter((input) => isWidgetInput(graph, input, node));
  for (const list of [
    values,
    values.filter((value) => typeof value !== 'string' || !controlWord.test(value)),
  ]) {
    if (list.length === widgets.length && widgets.every((input, at) => suits(input.type, list[at] ?? null)))
      return {
        inputs: withoutNull(new Map(widgets.map((input, at) => [input.name, list[at] ?? null]))),
        widgets: new Map(),
        shown,
      };
  }
  return undefined;
}

/**
 * Reads pairs of inner node and widget. The id -1 means the subgraph's own input. The names of previews begin with
 * `$$`; they hold no value.
 */
function readProxies(node: UiNode): [id: string, widget: string][] | undefined {
  const proxies = node.properties.get('proxyWidgets');
  if (!isArray(proxies)) return undefined;
  return proxies.flatMap((entry): [string, string][] => {
    const [id, widget] = isArray(entry) ? [textOf(entry[0]), textOf(entry[1])] : [];
    return id === undefined || widget === undefined || widget.startsWith('$$') ? [] : [[id, widget]];
  });
}

function placeByProxies(
  proxies: readonly [string, string][],
  values: readonly Json[],
): Pick<HostValues, 'inputs' | 'widgets'> {
  const inputs = new Map<string, Json>();
  const widgets = new Map<string, Json>();
  for (const [at, [id, widget]] of proxies.entries()) {
    const value = values[at] ?? null;
    if (value === null) continue;
    if (id === '-1') inputs.set(widget, value);
    else widgets.set(`${id}.${widget}`, value);
  }
  return { inputs, widgets };
}

const valueTypes = new Set(['INT', 'FLOAT', 'STRING', 'BOOLEAN', 'COMBO']);

/** Returns true if the input can hold a value: the input itself, or an input that it leads to, belongs to a widget. */
function isWidgetInput(graph: UiGraph, input: Boundary, host: UiNode): boolean {
  const outer = host.inputs.find(({ name }) => name === input.name);
  if (outer?.hasWidget === true) return true;
  const targets = input.links.flatMap((id) => {
    // A link's target slot is not reliable, but the node's own input names the link.
    const inputs = graph.nodes.get(graph.links.get(id)?.to ?? '')?.inputs ?? [];
    return inputs.filter(({ link }) => link === id);
  });
  const isWidget = targets.some(({ hasWidget }) => hasWidget);
  return isWidget || (targets.length > 0 && valueTypes.has(input.type) && outer === undefined);
}

function suits(type: string, value: Json): boolean {
  if (value === null) return true;
  if (type === 'INT' || type === 'FLOAT') return typeof value === 'number' || typeof value === 'bigint';
  if (type === 'STRING') return typeof value === 'string';
  return type !== 'BOOLEAN' || typeof value === 'boolean';
}

function withoutNull(values: ReadonlyMap<string, Json>): Map<string, Json> {
  return new Map([...values].filter(([, value]) => value !== null));
}
