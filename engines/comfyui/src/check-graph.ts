import type { Problem, ProblemCode } from '@renderkit/engine-kit/problem-codes.ts';
import { checkValue } from './check-value.ts';
import { type Graph, type GraphNode, linkOf, linksOf, nameOf, reachedFrom } from './graph.ts';
import { isObject, type Json } from './json.ts';
import {
  autogrow,
  findInput,
  type InputSpec,
  inputsOf,
  type NodeClass,
  type ObjectInfo,
  typesMeet,
} from './object-info.ts';
import type { Warning } from './workflow-error.ts';

export interface CheckOptions {
  /** Name of the backend whose classes are used. */
  readonly backend: string;
  /** Paid classes that the operator has allowed. */
  readonly allowedPaidNodes?: ReadonlySet<string>;
  /** The pack that has a class: `comfyui-videohelpersuite 1.6.1`. */
  readonly packs?: ReadonlyMap<string, string>;
  /** Addresses of model files by their names. */
  readonly downloads?: ReadonlyMap<string, string>;
}

export interface GraphCheck {
  /** Empty if ComfyUI would accept the graph. */
  readonly problems: readonly Problem[];
  readonly warnings: readonly Warning[];
}

/**
 * Checks a graph against the classes of a backend, as ComfyUI does when a graph is queued. ComfyUI itself cannot check
 * a graph without running it. Only a sample shows whether a model fits into memory or an image is readable.
 */
export function checkGraph(graph: Graph, classes: ObjectInfo, options: CheckOptions): GraphCheck {
  const check: Check = { graph, classes, options, problems: [], warnings: [] };
  for (const node of graph.values()) {
    if (!classes.has(node.classType)) missNode(check, node);
  }
  const outputs = [...graph.values()].filter(({ classType }) => classes.get(classType)?.isOutput === true);
  if (outputs.length === 0 && check.problems.length === 0)
    check.problems.push({
      code: 'no_output',
      message: 'The graph has no node that saves or shows a result.',
    });
  // ComfyUI neither runs nor checks nodes that no result needs.
  for (const node of reachedFrom(
    graph,
    outputs.map(({ id }) => id),
  ).values()) {
    const nodeClass = classes.get(node.classType);
    if (nodeClass !== undefined) checkNode(check, node, nodeClass);
  }
  const circle = findCircle(graph);
  if (circle !== undefined)
    check.problems.push({
      code: 'cycle',
      message: `The graph runs in a circle: ${circle.join(' → ')}.`,
      node: circle[0] ?? '',
    });
  return { problems: check.problems, warnings: check.warnings };
}

interface Check {
  readonly graph: Graph;
  readonly classes: ObjectInfo;
  readonly options: CheckOptions;
  readonly problems: Problem[];
  readonly warnings: Warning[];
}

function missNode({ options, problems }: Check, { classType, id }: GraphNode): void {
  const pack = options.packs?.get(classType);
  const where = pack === undefined ? '' : ` It is in ${pack}.`;
  problems.push({
    code: 'node_missing',
    message: `${options.backend} has no node ${classType}.${where}`,
    node: id,
  });
}

function checkNode(check: Check, node: GraphNode, nodeClass: NodeClass): void {
  const { backend, allowedPaidNodes, downloads } = check.options;
  if (nodeClass.isPaid && allowedPaidNodes?.has(node.classType) !== true)
    check.problems.push({
      code: 'paid_node',
      message: `${nameOf(node)} runs on a paid service and needs an account there. Allow it by name, or take it out.`,
      node: node.id,
    });
  if (nodeClass.deprecated) check.warnings.push({ message: `${nameOf(node)} is deprecated.`, node: node.id });
  if (nodeClass.experimental)
    check.warnings.push({ message: `${nameOf(node)} is experimental.`, node: node.id });
  for (const spec of inputsOf(nodeClass, node.inputs)) {
    if (!spec.required || node.inputs.has(spec.name) || mayBeAbsent(node, spec)) continue;
    addProblem(
      check,
      node,
      spec.name,
      'input_missing',
      `${nameOf(node)} needs "${spec.name}", and has nothing there.`,
    );
  }
  for (const [input, value] of node.inputs) {
    const spec = findInput(nodeClass, input, node.inputs);
    if (spec === undefined) {
      const message = `${nameOf(node)} has "${input}", which ${backend} does not know: it is ignored there.`;
      check.warnings.push({ message, node: node.id });
    } else if (linkOf(value) !== undefined) checkLink(check, node, input, value, spec.type);
    else {
      const issue = checkValue(node, spec, value, { backend, downloads });
      if (issue !== undefined) addProblem(check, node, input, issue.code, issue.message);
    }
  }
}

/** `images` counts as present if `images.image0` is present, or if its minimum is 0. */
function mayBeAbsent(node: GraphNode, { name, type, options }: InputSpec): boolean {
  if (type !== autogrow) return false;
  const template = options.get('template');
  if (isObject(template) && template.get('min') === 0) return true;
  return node.inputs.keys().some((input) => input.startsWith(`${name}.`));
}

function checkLink(check: Check, node: GraphNode, input: string, value: Json, wanted: string): void {
  const link = linkOf(value);
  const origin = link && check.graph.get(link.node);
  const target = `${nameOf(node)}, "${input}"`;
  if (link === undefined || origin === undefined) {
    const message = `${target} is linked to node ${link?.node ?? ''}, which is not in the graph.`;
    addProblem(check, node, input, 'input_missing', message);
    return;
  }
  const outputs = check.classes.get(origin.classType)?.outputs;
  if (outputs === undefined) return;
  const given = outputs[link.slot];
  if (given === undefined) {
    const message = `${target} is linked to output ${link.slot} of ${nameOf(origin)}, which has ${outputs.length}.`;
    addProblem(check, node, input, 'type_mismatch', message);
  } else if (!typesMeet(given, wanted)) {
    const message = `${target} wants ${wanted}, and ${nameOf(origin)} gives ${given}.`;
    addProblem(check, node, input, 'type_mismatch', message);
  }
}

function addProblem(check: Check, node: GraphNode, input: string, code: ProblemCode, message: string): void {
  check.problems.push({ code, message, node: node.id, input });
}

/**
 * Returns the nodes of a circle of links, with the first node again at the end. Returns undefined if there is no
 * circle.
 */
function findCircle(graph: Graph): string[] | undefined {
  const done = new Set<string>();
  for (const start of graph.keys()) {
    const way: { id: string; left: string[] }[] = [];
    const onWay = new Set<string>();
    const enter = (id: string): void => {
      const node = graph.get(id);
      onWay.add(id);
      way.push({ id, left: node === undefined ? [] : linksOf(node).map(({ link }) => link.node) });
    };
    if (!done.has(start)) enter(start);
    for (let top = way.at(-1); top !== undefined; top = way.at(-1)) {
      const next = top.left.pop();
      if (next === undefined) {
        way.pop();
        onWay.delete(top.id);
        done.add(top.id);
      } else if (onWay.has(next)) {
        const ids = way.map(({ id }) => id);
        return [...ids.slice(ids.indexOf(next)), next].toReversed();
      } else if (!done.has(next)) enter(next);
    }
  }
  return undefined;
}
