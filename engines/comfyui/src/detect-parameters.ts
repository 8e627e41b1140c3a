import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import { applyMarks, applyNames } from './apply-marks.ts';
import { type Finding, finding, withoutRepeats } from './finding.ts';
import { alphaMasks, findMedia } from './find-media.ts';
import { findOutputs } from './find-outputs.ts';
import { findSamplers, findSampling } from './find-samplers.ts';
import { findFrameRates, findSize } from './find-size.ts';
import { findTexts } from './find-texts.ts';
import { type Graph, type GraphNode, nameOf, reachedFrom } from './graph.ts';
import { GraphView } from './graph-view.ts';
import type { ImportedWorkflow } from './import-workflow.ts';
import type { Json } from './json.ts';
import { keepResults } from './keep-results.ts';
import type { ObjectInfo } from './object-info.ts';
import { type Role, roles, rolesByInput } from './roles.ts';
import type { Warning } from './workflow-error.ts';

/** What a workflow offers, as far as the graph shows it without asking its author. */
export interface Detection {
  /**
   * The graph to send: without nodes that the result does not need, with previews turned into results and masks into
   * files.
   */
  readonly graph: Graph;
  readonly kind: 'image' | 'video';
  /** Ids of the nodes that have the results. */
  readonly outputs: readonly string[];
  readonly suite: 'image' | 'edit' | 'video';
  readonly inpaint: boolean;
  /** In the order in which an operator reads them; each input once. */
  readonly findings: readonly Finding[];
  /** Inputs that must hold a certain value, so that the sent graph means the same. */
  readonly constants: readonly { readonly node: string; readonly input: string; readonly value: Json }[];
  /** The node whose numbers are the size. Undefined if the size is the size of a given image. */
  readonly sizeNode: GraphNode | undefined;
  /** Frames a second of the video. */
  readonly fps: number | undefined;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Warning[];
}

/**
 * Finds the inputs that a model needs. The result is only a proposal. Marks of the author count before names, and names
 * before the walk through the graph. Each finding has its reason and how sure it is. `find-texts.ts` finds the prompt.
 */
export function detectParameters(workflow: ImportedWorkflow, classes: ObjectInfo): Detection {
  const outputs = findOutputs(new GraphView(workflow.graph, classes), workflow.marks.outputs);
  if ('problem' in outputs) return nothingFound(workflow.graph, outputs.problem);
  const graph = masksAsFiles(keepResults(workflow.graph, outputs.nodes), classes);
  const view = new GraphView(graph, classes);
  const samplers = findSamplers(view);
  const texts = findTexts(view, samplers);
  const size = findSize(view, samplers, outputs.kind);
  const media = findMedia(view, samplers, outputs.kind);
  // A second pass over the result of a first pass starts with an image too, but not with an image from a user.
  const startsWithGiven = size.startsWithImage && media.findings.some(({ role }) => role === 'image');
  const frameRates = outputs.kind === 'video' ? findFrameRates(view) : [];
  const sampling = findSampling(view, samplers, texts.guidance);
  const walked = withoutRepeats([
    ...texts.findings,
    ...sampling,
    ...size.findings,
    ...(startsWithGiven && !size.fillsMask && !texts.carriesImages ? findByInput(view, 'strength') : []),
    ...media.findings,
    ...rolesByInput.flatMap((role) => findByInput(view, role)),
    ...frameRates,
  ]);
  const named = applyNames(view, walked, workflow.namedInputs);
  const findings = applyMarks(view, named, workflow.marks.inputs);
  const has = (role: string): boolean => findings.some((one) => one.role === role);
  const rate = frameRates[0]?.value;
  return {
    graph,
    kind: outputs.kind,
    outputs: outputs.nodes,
    suite: outputs.kind === 'video' ? 'video' : has('image') ? 'edit' : 'image',
    inpaint: outputs.kind === 'image' && has('image') && has('mask'),
    findings,
    constants: media.constants,
    sizeNode: size.node,
    fps: typeof rate === 'number' ? rate : undefined,
    problems: [],
    warnings: [
      ...outputWarnings(outputs.sure, outputs.reason, outputs.nodes),
      ...(has('prompt') ? [] : [{ message: 'It takes no text: users give no prompt.' }]),
      ...dynamicPrompts(graph, findings),
    ],
  };
}

function nothingFound(graph: Graph, problem: Problem): Detection {
  return {
    graph,
    kind: 'image',
    outputs: [],
    suite: 'image',
    inpaint: false,
    findings: [],
    constants: [],
    sizeNode: undefined,
    fps: undefined,
    problems: [problem],
    warnings: [],
  };
}

/** Makes a separate mask file where a graph uses the transparency of a loaded image as its mask. */
function masksAsFiles(graph: Graph, classes: ObjectInfo): Graph {
  const nodes = new Map(graph);
  for (const { loader, uses } of alphaMasks(new GraphView(graph, classes))) {
    const id = freeId(nodes, `${loader.id}-mask`);
    const image = loader.inputs.get('image') ?? '';
    const inputs = new Map<string, Json>([
      ['image', image],
      ['channel', 'red'],
    ]);
    nodes.set(id, { id, classType: 'LoadImageMask', title: undefined, inputs });
    for (const { node, input } of uses) {
      const current = nodes.get(node.id) ?? node;
      nodes.set(node.id, { ...current, inputs: new Map([...current.inputs, [input, [id, 0]]]) });
    }
  }
  // A loader that was there only for its mask is no longer needed.
  const outputs = [...graph.values()].filter(({ classType }) => classes.get(classType)?.isOutput === true);
  return outputs.length === 0
    ? nodes
    : reachedFrom(
        nodes,
        outputs.map(({ id }) => id),
      );
}

function freeId(nodes: ReadonlyMap<string, GraphNode>, wanted: string): string {
  return nodes.has(wanted) ? freeId(nodes, `${wanted}x`) : wanted;
}

/** Returns inputs that have the role anywhere in the graph, by their names alone. */
function findByInput(view: GraphView, role: Role): Finding[] {
  const { input } = roles[role];
  if (input === undefined) return [];
  return [...view.nodes].flatMap((node) => {
    const place = view.valueOf(node, input.name);
    return place === undefined ? [] : [finding(role, place, input.sure, nameOf(node))];
  });
}

function outputWarnings(sure: string, reason: string, nodes: readonly string[]): Warning[] {
  return sure === 'sure'
    ? []
    : [{ message: `The result is taken from node ${nodes.join(', ')}: ${reason}.` }];
}

/** The editor chooses from `{a|b}` once. A graph that is sent contains the text unchanged. */
function dynamicPrompts(graph: Graph, findings: readonly Finding[]): Warning[] {
  const isBound = (node: string, input: string): boolean =>
    findings.some((one) => one.node === node && one.input === input && one.role === 'prompt');
  return [...graph.values()].flatMap((node) =>
    Array.from(node.inputs).flatMap(([input, value]): Warning[] => {
      if (typeof value !== 'string' || !/\{[^{}]*\|[^{}]*\}/.test(value) || isBound(node.id, input))
        return [];
      const message = `${nameOf(node)}, "${input}" chooses with {a|b}. Nobody chooses when the graph is sent: write one of them.`;
      return [{ message, node: node.id }];
    }),
  );
}
