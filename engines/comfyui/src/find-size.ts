import { type Finding, finding, withoutRepeats } from './finding.ts';
import type { Sure } from './roles.ts';
import type { Sampler } from './find-samplers.ts';
import { type GraphNode, nameOf } from './graph.ts';
import type { GraphView } from './graph-view.ts';

export interface FoundSize {
  readonly findings: readonly Finding[];
  /**
   * The node that makes the empty image or video, or scales a given image to the size of the video. Undefined if the
   * size is the size of a given image.
   */
  readonly node: GraphNode | undefined;
  /** True if sampling begins with a given image. */
  readonly startsWithImage: boolean;
  /** True if, in addition, the image under the mask is removed first. */
  readonly fillsMask: boolean;
}

const lengthInputs = ['length', 'num_frames', 'frames', 'video_frames'];

/**
 * Finds the size, the number of images and the frames: they are in the node whose latent image the samplers begin with.
 * `aspect-ratios.ts` decides which sizes users get, `frames` in `model-parameters.ts` which lengths.
 */
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

/** Where a latent image comes from: a node that makes one, or a node that encodes an image. */
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
    // A later sampler begins where an earlier one has ended. The earlier sampler is checked separately.
    if (node.inputs.has('latent_image')) return { repeat };
    if (node.inputs.has('amount')) repeat = node;
    next = view.graph.get(below.link.node);
  }
  return {};
}

/**
 * For graphs without a sampler: returns the only node that makes an image or a latent image from a width and a height
 * alone.
 */
function findCanvas(view: GraphView): GraphNode | undefined {
  const makers = [...view.nodes].filter((node) => {
    const makes = view.givesType(node, 'IMAGE') || view.givesType(node, 'LATENT');
    const takes = [...view.linksOfType(node, 'IMAGE'), ...view.linksOfType(node, 'LATENT')];
    return makes && takes.length === 0 && node.inputs.has('width') && node.inputs.has('height');
  });
  return makers.length === 1 ? makers[0] : undefined;
}

/** Inputs of nodes that change the size of an image without naming the new size. */
const enlarging = ['scale_by', 'upscale_model', 'megapixels', 'largest_size', 'resize_type'];

/** Returns the last node before the result that sets the size at which a given image is used. */
function findScaling(view: GraphView): GraphNode | undefined {
  const seen = new Set([...view.nodes].filter((node) => view.classOf(node)?.isOutput === true));
  // The set grows during the loop: nodes nearer to the result come first.
  for (const node of seen) {
    const isImage = view.givesType(node, 'IMAGE') || view.givesType(node, 'LATENT');
    if (isImage && enlarging.some((input) => node.inputs.has(input))) return undefined;
    const sides = ['width', 'height'].map((input) => view.valueOf(node, input)?.value);
    // A side of 0 is computed from the other side.
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

/**
 * Finds other inputs with the same two numbers, which would no longer fit: of the model, of an encoder, of an image.
 */
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

/**
 * Without a sampler, the batch size or the repetitions of one image are the video's frames, if exactly one node sets
 * them.
 */
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

/**
 * Finds the inputs for frames per second: first in nodes that save the video, then in nodes that pass the rate to the
 * model.
 */
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
