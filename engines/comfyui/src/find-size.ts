import { type Finding, finding, withoutRepeats } from './finding.ts';
import type { Sure } from './roles.ts';
import type { Sampler } from './find-samplers.ts';
import { type GraphNode, nameOf } from './graph.ts';
import type { GraphView } from './graph-view.ts';

export interface FoundSize {
  readonly findings: readonly Finding[];
  /**
   * The node that makes the empty image or video, or brings a given image to the size of the video; undefined where the size is
   * that of a given image.
   */
  readonly node: GraphNode | undefined;
  /** True where sampling begins with an image that was given. */
  readonly startsWithImage: boolean;
  /** The same, and all of the image under the mask is thrown away first. */
  readonly fillsMask: boolean;
}

const lengthInputs = ['length', 'num_frames', 'frames', 'video_frames'];

/** Size, number of images and frames: they stand in the node whose latent image the samplers begin with. */
export function findSize(view: GraphView, samplers: readonly Sampler[], kind: 'image' | 'video'): FoundSize {
  const starts = samplers.map(({ node }) => findStart(view, node));
  const canvas = samplers.length === 0 ? findCanvas(view) : undefined;
  const made = starts.find((start) => start.made !== undefined)?.made ?? canvas;
  const scaled = made === undefined && kind === 'video' ? findScaling(view) : undefined;
  const sized = made ?? scaled;
  const repeats = starts.flatMap(({ repeat }) => repeat ?? []);
  const fill = starts.some(({ encoder }) => encoder?.classType === 'VAEEncodeForInpaint');
  return {
    node: sized,
    startsWithImage: starts.some(({ encoder }) => encoder !== undefined),
    fillsMask: fill,
    findings: withoutRepeats([
      ...(sized === undefined
        ? []
        : findSides(view, sized, canvas === undefined && scaled === undefined ? 'sure' : 'likely')),
      ...(kind === 'image' ? findBatch(view, made, repeats) : []),
      ...(made === undefined || kind === 'image' ? [] : findFrames(view, made)),
      ...(samplers.length === 0 && kind === 'video' ? findRepeatedFrames(view, canvas) : []),
    ]),
  };
}

/** Where a latent image comes from: a node that makes one, or one that encodes an image. */
interface Start {
  readonly made?: GraphNode | undefined;
  readonly encoder?: GraphNode | undefined;
  readonly repeat?: GraphNode | undefined;
}

function findStart(view: GraphView, sampler: GraphNode): Start {
  const seen = new Set<GraphNode>();
  let repeat: GraphNode | undefined;
  let next = view.originOf(sampler, 'latent_image')?.node;
  while (next !== undefined && !seen.has(next)) {
    const node: GraphNode = next;
    seen.add(node);
    const [below] = view.linksOfType(node, 'LATENT');
    if (below === undefined) {
      if (node.inputs.has('width') && node.inputs.has('height')) return { made: node, repeat };
      return { encoder: view.linksOfType(node, 'IMAGE').length > 0 ? node : undefined, repeat };
    }
    // A later sampler begins where an earlier one has ended, which is looked at on its own.
    if (node.inputs.has('latent_image')) return { repeat };
    if (node.inputs.has('amount')) repeat = node;
    next = view.graph.get(below.link.node);
  }
  return {};
}

/** Without a sampler: the one node that makes an image, or what becomes one, of a width and a height alone. */
function findCanvas(view: GraphView): GraphNode | undefined {
  const makers = [...view.nodes].filter((node) => {
    const makes = view.givesType(node, 'IMAGE') || view.givesType(node, 'LATENT');
    const takes = [...view.linksOfType(node, 'IMAGE'), ...view.linksOfType(node, 'LATENT')];
    return makes && takes.length === 0 && node.inputs.has('width') && node.inputs.has('height');
  });
  return makers.length === 1 ? makers[0] : undefined;
}

/** Inputs of nodes that make what comes by of another size, and do not say of which. */
const enlarging = ['scale_by', 'upscale_model', 'megapixels', 'largest_size', 'resize_type'];

/** The node that says last, before the result, at which size a given image is used. */
function findScaling(view: GraphView): GraphNode | undefined {
  const seen = new Set([...view.nodes].filter((node) => view.classOf(node)?.isOutput === true));
  // The set grows while it is walked: what is nearer to the result comes first.
  for (const node of seen) {
    const isImage = view.givesType(node, 'IMAGE') || view.givesType(node, 'LATENT');
    if (isImage && enlarging.some((input) => node.inputs.has(input))) return undefined;
    const sides = ['width', 'height'].map((input) => view.valueOf(node, input)?.value);
    // A side of 0 follows the other one.
    if (isImage && sides.every((side) => typeof side === 'number' && side > 0)) return node;
    for (const type of ['VIDEO', 'IMAGE', 'LATENT'])
      for (const { link } of view.linksOfType(node, type)) {
        const origin = view.graph.get(link.node);
        if (origin !== undefined) seen.add(origin);
      }
  }
  return undefined;
}

function findSides(view: GraphView, made: GraphNode, sure: Sure): Finding[] {
  const width = view.valueOf(made, 'width');
  const height = view.valueOf(made, 'height');
  if (width === undefined || height === undefined) return [];
  return [
    finding('width', width, sure, nameOf(made)),
    finding('height', height, sure, nameOf(made)),
    ...[...view.nodes].flatMap((node) =>
      node === made ? [] : findSameSides(view, node, width.value, height.value),
    ),
  ];
}

/** Other inputs that hold the same two numbers and would no longer fit: of the model, of an encoder, of an image. */
function findSameSides(view: GraphView, node: GraphNode, width: unknown, height: unknown): Finding[] {
  return [
    ['width', 'height'],
    ['target_width', 'target_height'],
  ].flatMap(([across = '', down = '']) => {
    const one = view.valueOf(node, across);
    const other = view.valueOf(node, down);
    if (one === undefined || other === undefined || one.value !== width || other.value !== height) return [];
    const reason = `${nameOf(node)} has the same numbers`;
    return [finding('width', one, 'likely', reason), finding('height', other, 'likely', reason)];
  });
}

function findBatch(view: GraphView, made: GraphNode | undefined, repeats: readonly GraphNode[]): Finding[] {
  const batch = made && view.valueOf(made, 'batch_size');
  if (batch !== undefined) return [finding('outputs', batch, 'sure', `${nameOf(batch.node)}, batch_size`)];
  return repeats.slice(0, 1).flatMap((node) => {
    const amount = view.valueOf(node, 'amount');
    return amount === undefined ? [] : [finding('outputs', amount, 'likely', nameOf(node))];
  });
}

function findFrames(view: GraphView, made: GraphNode): Finding[] {
  return lengthInputs.flatMap((input) => {
    const place = view.valueOf(made, input);
    return place === undefined
      ? []
      : [finding('duration_seconds', place, 'sure', `${nameOf(made)}, ${input}`)];
  });
}

/** Without a sampler a video has as many frames as images are made at once, or as one is repeated: where one node says it. */
function findRepeatedFrames(view: GraphView, canvas: GraphNode | undefined): Finding[] {
  const batch = canvas && view.valueOf(canvas, 'batch_size');
  const repeats = [...view.nodes].flatMap((node) =>
    view.givesType(node, 'IMAGE') ? (view.valueOf(node, 'amount') ?? []) : [],
  );
  const places = [...(batch === undefined ? [] : [batch]), ...repeats].filter(
    ({ value }) => typeof value === 'number' && value > 1,
  );
  const [only] = places;
  if (only === undefined || places.length > 1) return [];
  return [finding('duration_seconds', only, 'likely', `${nameOf(only.node)}, ${only.input}`)];
}

/** Where frames a second are said: first in what saves the video, then wherever the model is told. */
export function findFrameRates(view: GraphView): Finding[] {
  const named = ['fps', 'frame_rate'];
  const places = [...view.nodes].flatMap((node) =>
    named.flatMap((input) => {
      const place = view.valueOf(node, input);
      return place === undefined || typeof place.value !== 'number' ? [] : [{ node, place }];
    }),
  );
  const saves = places.filter(({ node }) => !view.givesType(node, 'CONDITIONING'));
  const rest = places.filter(({ node }) => view.givesType(node, 'CONDITIONING'));
  return withoutRepeats(
    [...saves, ...rest].map(({ node, place }) => finding('fps', place, 'sure', nameOf(node))),
  );
}
