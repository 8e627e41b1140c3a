import { type Finding, finding } from './finding.ts';
import type { Role, Sure } from './roles.ts';
import type { Sampler } from './find-samplers.ts';
import { type GraphNode, nameOf } from './graph.ts';
import type { Consumer, GraphView } from './graph-view.ts';
import { mediaLoaders, outputNodes, rowOf } from './known-nodes.ts';

export interface FoundMedia {
  readonly findings: readonly Finding[];
  /** Inputs that must hold a value so that our files mean the same: the channel of a mask. */
  readonly constants: readonly {
    readonly node: string;
    readonly input: string;
    readonly value: string;
  }[];
}

interface Use {
  readonly role: Role;
  readonly sure: Sure;
  readonly reason: string;
}

/** If one image has two uses, the earlier one in this list counts. */
const priority: readonly Role[] = ['start_image', 'end_image', 'image', 'mask', 'references'];
const maskSlot = 1;

/** Finds what the graph uses its loaded images, masks, videos and audio files for. `kind` is what the graph makes. */
export function findMedia(
  view: GraphView,
  samplers: readonly Sampler[],
  kind: 'image' | 'video',
): FoundMedia {
  const findings: Finding[] = [];
  for (const node of view.nodes) {
    const loader = rowOf(mediaLoaders, node.classType);
    const place = loader && view.valueOf(node, loader.input);
    if (loader === undefined || place === undefined) continue;
    const use = useOfLoader(view, samplers, node, loader.media);
    if (use !== undefined) findings.push(finding(use.role, place, use.sure, use.reason));
  }
  const ordered = byKind(onlyOneImage(findings), kind);
  return {
    findings: [...ordered, ...findWeight(view, ordered)],
    // A mask is sent as a grey image, so any colour channel works, but transparency does not.
    constants: [...view.nodes]
      .filter(({ inputs }) => inputs.has('channel') && typeof inputs.get('channel') === 'string')
      .filter((node) => node.inputs.get('channel') !== 'red' && view.givesType(node, 'MASK'))
      .map(({ id }) => ({ node: id, input: 'channel', value: 'red' })),
  };
}

/** Returns loaders of images whose transparency is used as a mask, each with the inputs that use it. */
export function alphaMasks(
  view: GraphView,
): { readonly loader: GraphNode; readonly uses: readonly Consumer[] }[] {
  return [...view.nodes].flatMap((loader) => {
    if (rowOf(mediaLoaders, loader.classType)?.media !== 'image') return [];
    const uses = view.consumersOf(loader).filter(({ slot }) => slot === maskSlot);
    return uses.length > 0 ? [{ loader, uses }] : [];
  });
}

function useOfLoader(
  view: GraphView,
  samplers: readonly Sampler[],
  node: GraphNode,
  media: 'image' | 'mask' | 'video' | 'audio',
): Use | undefined {
  if (media === 'video') return { role: 'source_video', sure: 'likely', reason: nameOf(node) };
  if (media === 'audio') return { role: 'audios', sure: 'likely', reason: nameOf(node) };
  const type = media === 'mask' ? 'MASK' : 'IMAGE';
  const uses = endsOf(view, node, type).flatMap((end) => useOf(view, samplers, end) ?? []);
  return uses.toSorted((one, other) => priority.indexOf(one.role) - priority.indexOf(other.role))[0];
}

/** Returns the inputs where something ends, followed through nodes that give back what they take. */
function endsOf(view: GraphView, start: GraphNode, type: string): Consumer[] {
  const ends: Consumer[] = [];
  const seen = new Set<GraphNode>();
  const waiting = [{ node: start, type }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, type: carried } = next;
    if (seen.has(node)) continue;
    seen.add(node);
    for (const consumer of view.consumersOf(node)) {
      if (view.typeOf({ node: node.id, slot: consumer.slot }) !== carried) continue;
      const isSampler = consumer.node.inputs.has('latent_image');
      if (!isSampler && view.givesType(consumer.node, carried))
        waiting.push({ node: consumer.node, type: carried });
      else if (carried === 'IMAGE' && view.givesType(consumer.node, 'MASK'))
        waiting.push({ node: consumer.node, type: 'MASK' });
      else ends.push(consumer);
    }
  }
  return ends;
}

function useOf(view: GraphView, samplers: readonly Sampler[], { node, input }: Consumer): Use | undefined {
  const reason = `into ${nameOf(node)}, ${input}`;
  if (isAdapter(node)) return useOfAdapter(node, input, reason);
  if (/mask/i.test(input)) return { role: 'mask', sure: 'sure', reason };
  if (/^(?:start|first|init)_(?:image|frame)$/.test(input))
    return { role: 'start_image', sure: 'sure', reason };
  if (/^(?:end|last)_(?:image|frame)$/.test(input)) return { role: 'end_image', sure: 'sure', reason };
  if (view.givesType(node, 'LATENT')) {
    if (node.inputs.has('length') || node.inputs.has('video_frames'))
      return { role: 'start_image', sure: 'sure', reason };
    return useOfLatent(view, samplers, node, reason);
  }
  if (/ImageEdit/.test(node.classType)) {
    const first = input === 'image' || input === 'image1';
    return { role: first ? 'image' : 'references', sure: 'sure', reason };
  }
  if (view.givesType(node, 'CLIP_VISION_OUTPUT')) return useOfVision(view, node, reason);
  if (view.givesType(node, 'CONDITIONING') || view.givesType(node, 'MODEL'))
    return { role: 'references', sure: 'likely', reason };
  // Without a sampler the image itself is processed: enlarged, tinted, cut out, or made into a video.
  const saved = rowOf(outputNodes, node.classType);
  if (samplers.length === 0 && (view.givesType(node, 'VIDEO') || saved?.from === input))
    return { role: 'image', sure: 'likely', reason };
  // A node that only measures, shows or saves an image does not need another image.
  return undefined;
}

/** Returns whether a node shows images to the model. */
function isAdapter({ classType }: GraphNode): boolean {
  return /IPAdapter/i.test(classType);
}

/** The adapter's mask and negative image stay as the author set them. */
function useOfAdapter(node: GraphNode, input: string, reason: string): Use | undefined {
  return /mask|negative/i.test(input) ? undefined : { role: 'references', sure: 'likely', reason };
}

/** An encoded image is used where it reaches a sampler, as the start or as an image that the model looks at. */
function useOfLatent(
  view: GraphView,
  samplers: readonly Sampler[],
  encoder: GraphNode,
  reason: string,
): Use | undefined {
  const ends = endsOf(view, encoder, 'LATENT');
  const isWorkedOn = ends.some(
    ({ node, input }) => input === 'latent_image' && samplers.some((sampler) => sampler.node === node),
  );
  if (isWorkedOn) return { role: 'image', sure: 'sure', reason };
  const isDecoded = samplers.length === 0 && ends.some(({ node }) => view.givesType(node, 'IMAGE'));
  if (isDecoded || ends.some(({ node }) => view.givesType(node, 'CONDITIONING')))
    return { role: 'image', sure: 'likely', reason };
  return undefined;
}

function useOfVision(view: GraphView, encoder: GraphNode, reason: string): Use | undefined {
  const ends = view
    .consumersOf(encoder)
    .filter(({ node }) => node.inputs.has('start_image') || node.inputs.has('length'));
  // The model looks at the video's first image as well, but that image already has its role.
  return ends.length > 0 ? undefined : { role: 'references', sure: 'likely', reason };
}

/** Keeps one image to edit. Other images with this role become references. */
function onlyOneImage(findings: readonly Finding[]): Finding[] {
  const images = findings.filter(({ role }) => role === 'image');
  const first = images.find(({ sure }) => sure === 'sure') ?? images[0];
  return findings.map((one) =>
    one.role === 'image' && one !== first ? { ...one, role: 'references', sure: 'likely' } : one,
  );
}

/** Renames the role of the image that is processed: for a video it is `start_image`, for an image it is `image`. */
function byKind(findings: readonly Finding[], kind: 'image' | 'video'): Finding[] {
  const has = (role: Role): boolean => findings.some((one) => one.role === role);
  const [from, to]: [Role, Role] = kind === 'video' ? ['image', 'start_image'] : ['start_image', 'image'];
  return findings.map((one) => (one.role === from && !has(to) ? { ...one, role: to } : one));
}

/** Finds the weight of references if exactly one input sets it. Otherwise the strength of the only LoRA is a guess. */
function findWeight(view: GraphView, findings: readonly Finding[]): Finding[] {
  const hasReferences = findings.some(({ role }) => role === 'references');
  const applied = [...view.nodes].filter(
    (node) =>
      (view.givesType(node, 'CONDITIONING') && node.inputs.has('control_net')) ||
      (isAdapter(node) && view.givesType(node, 'MODEL')),
  );
  const places = applied.flatMap(
    (node) => view.valueOf(node, 'strength') ?? view.valueOf(node, 'weight') ?? [],
  );
  const [only] = places;
  if (hasReferences && only !== undefined && places.length === 1)
    return [finding('weight', only, 'likely', nameOf(only.node))];
  const loras = [...view.nodes].filter(({ inputs }) => inputs.has('lora_name'));
  const [lora] = loras;
  const strength = lora && view.valueOf(lora, 'strength_model');
  return strength === undefined || loras.length > 1
    ? []
    : [finding('weight', strength, 'guess', nameOf(strength.node))];
}
