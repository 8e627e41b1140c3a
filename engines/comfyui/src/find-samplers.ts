import { type Finding, finding, withoutRepeats } from './finding.ts';
import type { Role } from './roles.ts';
import { type GraphNode, linkOf, nameOf } from './graph.ts';
import type { GraphView } from './graph-view.ts';

/** A node that makes an image out of noise. Its shape shows this: it takes a latent image and conditioning. */
export interface Sampler {
  readonly node: GraphNode;
  /** The node that holds the conditioning: the sampler itself, or its guider. */
  readonly guide: GraphNode;
  /** False if it continues with noise that another node has added. */
  readonly addsNoise: boolean;
}

/** Returns the samplers of a graph, in the order of the file. */
export function findSamplers(view: GraphView): Sampler[] {
  return [...view.nodes].flatMap((node) => {
    const isLinked = (input: string): boolean => linkOf(node.inputs.get(input)) !== undefined;
    if (!isLinked('latent_image') || !view.givesType(node, 'LATENT') || view.givesType(node, 'CONDITIONING'))
      return [];
    const guider = view.originOf(node, 'guider')?.node;
    const takesConditioning = isLinked('positive') || isLinked('conditioning');
    if (guider === undefined && !takesConditioning) return [];
    const noise = node.inputs.get('add_noise');
    return [{ node, guide: guider ?? node, addsNoise: noise !== 'disable' && noise !== false }];
  });
}

/**
 * Finds seed, cfg, sampler, scheduler and steps of the samplers. The cfg is the guidance node on the way to the prompt,
 * if there is one. `model-parameters.ts` decides the range of cfg that users get.
 */
export function findSampling(
  view: GraphView,
  samplers: readonly Sampler[],
  guidance: readonly GraphNode[],
): Finding[] {
  const found = samplers.flatMap((sampler) => [
    ...(sampler.addsNoise ? findSeed(view, sampler) : []),
    ...findSetting(view, sampler, 'sampler', 'sampler_name', 'sampler'),
    ...findSetting(view, sampler, 'scheduler', 'scheduler', 'sigmas'),
    ...findSetting(view, sampler, 'steps', 'steps', 'sigmas'),
  ]);
  const seeds = found.some(({ role }) => role === 'seed') ? [] : findLooseSeeds(view);
  return withoutRepeats([...seeds, ...found, ...findCfg(view, samplers, guidance)]);
}

/** Finds seeds by their input's name, for a graph in which no sampler has a seed. */
function findLooseSeeds(view: GraphView): Finding[] {
  return [...view.nodes].flatMap((node) =>
    ['seed', 'noise_seed'].flatMap((input) => {
      const place = view.valueOf(node, input);
      const isOff = node.inputs.get('add_noise') === 'disable';
      return place === undefined || isOff ? [] : [finding('seed', place, 'likely', nameOf(node))];
    }),
  );
}

function findSeed(view: GraphView, { node }: Sampler): Finding[] {
  const noise = view.originOf(node, 'noise')?.node;
  for (const holder of noise === undefined ? [node] : [node, noise]) {
    for (const input of ['seed', 'noise_seed']) {
      const place = view.valueOf(holder, input);
      if (place !== undefined) return [finding('seed', place, 'sure', `from ${nameOf(node)}`)];
    }
  }
  return [];
}

/** Finds a setting of the sampler itself, or of the node behind one of its inputs. */
function findSetting(
  view: GraphView,
  { node }: Sampler,
  role: Role,
  input: string,
  behind: string,
): Finding[] {
  const holder = view.originOf(node, behind)?.node ?? node;
  const place = view.valueOf(holder, input) ?? view.valueOf(node, input);
  return place === undefined ? [] : [finding(role, place, 'sure', `from ${nameOf(node)}`)];
}

function findCfg(view: GraphView, samplers: readonly Sampler[], guidance: readonly GraphNode[]): Finding[] {
  const guided = guidance.flatMap((node) => {
    const place = view.valueOf(node, 'guidance');
    return place === undefined ? [] : [finding('cfg', place, 'likely', `the guidance of ${nameOf(node)}`)];
  });
  if (guided.length > 0) return guided;
  const own = samplers.flatMap(({ node, guide }) => {
    const place = view.valueOf(guide, 'cfg') ?? view.valueOf(guide, 'cfg_conds');
    // A value of 1 turns cfg off, and the negative prompt with it.
    return place === undefined || place.value === 1
      ? []
      : [finding('cfg', place, 'likely', `from ${nameOf(node)}`)];
  });
  const [first] = own;
  // Two different values would become one.
  return own.every(({ value }) => value === first?.value) ? own : own.slice(0, 1);
}
