import type { NamedInput } from './convert-workflow.ts';
import { type Graph, type GraphNode, linkOf } from './graph.ts';
import { isArray, isObject, type Json } from './json.ts';
import { openScopes, type Scope } from './scopes.ts';
import { listIn, objectIn, textOf, type UiWorkflow } from './ui-workflow.ts';

/** An input that the author has marked as one for users. */
export interface MarkedInput {
  readonly node: string;
  readonly input: string;
  readonly label: string;
  /** The kind of mark, in words: "App Mode". */
  readonly by: string;
}

export interface AuthorMarks {
  readonly inputs: readonly MarkedInput[];
  /** Ids of nodes whose results are wanted. */
  readonly outputs: readonly string[];
}

export const noMarks: AuthorMarks = { inputs: [], outputs: [] };

/**
 * Returns the inputs and outputs that an author has chosen in App Mode (`extra.linearData`), in order. `namedInputs`
 * leads from the node of a subgraph to the inputs inside. Leaves out marks whose node is not in the graph.
 */
export function readAppMode(
  workflow: UiWorkflow,
  graph: Graph,
  namedInputs: readonly NamedInput[],
): AuthorMarks {
  const data = objectIn(workflow.extra, 'linearData');
  const inputs = listIn(data, 'inputs').flatMap((entry): MarkedInput[] => {
    const [id, widget, config] = isArray(entry) ? [textOf(entry[0]), textOf(entry[1]), entry[2]] : [];
    if (id === undefined || widget === undefined) return [];
    const label = labelOf(config) ?? widget;
    return placesOf(workflow, id).flatMap((node) => {
      const promoted = namedInputs.filter((one) => one.node === node && one.widget === widget);
      const targets =
        graph.get(node)?.inputs.has(widget) === true
          ? [{ node, input: widget }]
          : promoted.map(({ target }) => target);
      return targets.map((target) => ({ ...target, label, by: 'App Mode' }));
    });
  });
  const outputs = listIn(data, 'outputs').flatMap((entry) => {
    const id = textOf(isArray(entry) ? entry[0] : entry);
    return id === undefined ? [] : placesOf(workflow, id).filter((node) => graph.has(node));
  });
  return { inputs, outputs };
}

function labelOf(config: Json | undefined): string | undefined {
  const label = isObject(config) ? (config.get('name') ?? config.get('label')) : undefined;
  return typeof label === 'string' && label !== '' ? label : undefined;
}

/**
 * An id is the id of a node, `graph:node`, or `graph:node:name` with its parts encoded. `graph` is the id of a
 * subgraph.
 */
function placesOf(workflow: UiWorkflow, id: string): string[] {
  const [graph, node] = id.split(':').map(decode);
  if (graph === undefined || node === undefined) return [id];
  if (!workflow.subgraphs.has(graph)) return [id, node];
  const found: string[] = [];
  const visit = (scope: Scope): void => {
    if (scope.graph === workflow.subgraphs.get(graph)) found.push(scope.path + node);
    for (const inner of scope.inner.values()) visit(inner);
  };
  visit(openScopes(workflow));
  return found;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const hasScheme = /^in:\s*([a-z_]+)(?:\s+(.+))?$/i;

/**
 * Reads marks in titles: `in:prompt`, `in:seed`, `in:image`, `in:option Look`. `findOutputs` reads `out:result`.
 * `applyMarks` in `apply-marks.ts` gives the marked inputs their roles.
 */
export function readTitleMarks(graph: Graph): MarkedInput[] {
  return [...graph.values()].flatMap((node): MarkedInput[] => {
    const mark = hasScheme.exec(node.title ?? '');
    if (mark === null) return [];
    const [, role = '', name] = mark;
    const input = inputFor(node, role.toLowerCase());
    return input === undefined
      ? []
      : [{ node: node.id, input, label: name ?? role.toLowerCase(), by: 'its title' }];
  });
}

/** Returns the input of a node that the mark in its title means. */
function inputFor({ inputs }: GraphNode, role: string): string | undefined {
  const values = [...inputs].filter(([, value]) => linkOf(value) === undefined).map(([name]) => name);
  const wanted: Readonly<Record<string, readonly string[]>> = {
    prompt: ['text', 'prompt', 'value'],
    negative: ['text', 'prompt', 'value'],
    seed: ['seed', 'noise_seed', 'value'],
    image: ['image'],
    mask: ['image', 'mask'],
    start: ['image'],
    end: ['image'],
  };
  const names = Object.hasOwn(wanted, role) ? (wanted[role] ?? []) : [];
  return names.find((name) => values.includes(name)) ?? values[0];
}
