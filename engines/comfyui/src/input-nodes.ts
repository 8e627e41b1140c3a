import type { MarkedInput } from './author-marks.ts';
import { type Graph, type GraphNode, linkOf, linksOf } from './graph.ts';
import type { Json } from './json.ts';

/**
 * Nodes of other systems that mark an input for users. Their packs may be missing on the machine that runs the graph.
 * So these nodes are replaced by their value or by a loader.
 */
const inputShapes: readonly { shape: RegExp; by: string }[] = [
  { shape: /^CPackInput/, by: 'comfy-pack' },
  { shape: /^ComfyUIDeployExternal/, by: 'ComfyDeploy' },
  { shape: /^SwarmInput(?!Group)/, by: 'SwarmUI' },
];
const outputShape = /^(?:CPackOutput|ComfyDeployOutput)/;
const imageShape = /(?:Image|ImageAlpha)$/;
const nameInputs = ['display_name', 'input_id', 'title'];
const valueInputs = [
  'value',
  'default_value',
  'text',
  'string',
  'number',
  'seed',
  'default',
  'default_value_filename',
  'image',
];

export interface ReplacedNodes {
  readonly graph: Graph;
  readonly marks: readonly MarkedInput[];
}

/** Replaces the nodes that mark inputs or outputs. Returns the new graph and the marked inputs. */
export function replaceInputNodes(graph: Graph): ReplacedNodes {
  const nodes = new Map(graph);
  const marks: MarkedInput[] = [];
  for (const node of graph.values()) {
    const by = inputShapes.find(({ shape }) => shape.test(node.classType))?.by;
    if (by !== undefined) marks.push(...replaceInput(nodes, node, by));
    else if (outputShape.test(node.classType)) replaceOutput(nodes, node);
  }
  return { graph: nodes, marks };
}

function replaceInput(nodes: Map<string, GraphNode>, node: GraphNode, by: string): MarkedInput[] {
  const value = valueInputs
    .map((name) => node.inputs.get(name))
    .find((one) => one !== undefined && linkOf(one) === undefined);
  const label = labelOf(node);
  if (imageShape.test(node.classType)) {
    const image = typeof value === 'string' && value !== '' ? value : 'example.png';
    nodes.set(node.id, { ...node, classType: 'LoadImage', inputs: new Map([['image', image]]) });
    return [{ node: node.id, input: 'image', label, by }];
  }
  if (value === undefined) return [];
  nodes.delete(node.id);
  const marks: MarkedInput[] = [];
  for (const consumer of nodes.values()) {
    for (const { input, link } of linksOf(consumer)) {
      if (link.node !== node.id) continue;
      const inputs = new Map<string, Json>([...(nodes.get(consumer.id)?.inputs ?? []), [input, value]]);
      nodes.set(consumer.id, { ...consumer, inputs });
      marks.push({ node: consumer.id, input, label, by });
    }
  }
  return marks;
}

function replaceOutput(nodes: Map<string, GraphNode>, node: GraphNode): void {
  const images = linksOf(node).find(({ input }) => /image/i.test(input));
  if (images === undefined) return;
  const inputs = new Map<string, Json>([
    ['images', [images.link.node, images.link.slot]],
    ['filename_prefix', 'result'],
  ]);
  nodes.set(node.id, { ...node, classType: 'SaveImage', title: 'out:result', inputs });
}

function labelOf(node: GraphNode): string {
  const named = nameInputs
    .map((name) => node.inputs.get(name))
    .find((one) => typeof one === 'string' && one !== '');
  return typeof named === 'string' ? named : (node.title ?? node.classType);
}
