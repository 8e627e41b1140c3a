import type { Detection } from './detect-parameters.ts';
import { isFileName } from './object-info.ts';
import { type Role, roles } from './roles.ts';

/** Names by parts of class names, tried in this order. */
const byClass: readonly (readonly [shape: RegExp, name: string])[] = [
  [/Checkpoint/i, 'checkpoint'],
  [/UNET|DiffusionModel/i, 'unet'],
  [/Lora/i, 'lora'],
  [/CLIPVision/i, 'clip_vision'],
  [/CLIPLoader/i, 'clip'],
  [/VAELoader/, 'vae'],
  [/ControlNet.*Loader/, 'control_net'],
  [/ControlNetApply/, 'control'],
  [/ModelSampling/, 'shift'],
  [/Guidance/, 'guidance'],
  [/Guider/, 'guider'],
  [/Noise$/, 'noise'],
  [/SamplerSelect/, 'sampler'],
  [/Scheduler/, 'scheduler'],
  [/Sampler/, 'sampler'],
  [/CreateVideo/, 'video'],
  [/^Save|Combine$/, 'save'],
];

/**
 * Returns names for the nodes that a manifest mentions, by id: nodes that are bound, that hold files, or that save
 * results.
 */
export function nameNodes(detection: Detection): Map<string, string> {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  const found = Map.groupBy(detection.findings, ({ node }) => node);
  const wanted = new Set([
    ...[...detection.graph.values()]
      .filter(({ inputs }) => inputs.values().some(isFileName))
      .map(({ id }) => id),
    ...detection.findings.map(({ node }) => node),
    ...detection.constants.map(({ node }) => node),
    ...detection.outputs,
  ]);
  // In the order of the graph, so that two imports of one workflow give the same names.
  for (const { id, classType } of detection.graph.values()) {
    if (!wanted.has(id)) continue;
    const name = nameFor(
      detection,
      { id, classType },
      (found.get(id) ?? []).map(({ role }) => role),
    );
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    names.set(id, count === 1 ? name : `${name}_${count}`);
  }
  return names;
}

function nameFor(
  detection: Detection,
  { id, classType }: { id: string; classType: string },
  found: readonly Role[],
): string {
  const named = found.map((role) => roles[role].nodeName).find((name) => name !== undefined);
  if (named !== undefined) return named;
  if (detection.sizeNode?.id === id) return detection.kind === 'video' ? 'motion' : 'latent';
  const known = byClass.find(([shape]) => shape.test(classType))?.[1];
  return known ?? snakeCase(classType);
}

/** Returns a class name in snake case. A name contains no dot, because a dot ends a node's name in a manifest. */
function snakeCase(classType: string): string {
  const words = classType.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').replaceAll(/[^A-Za-z0-9]+/g, '_');
  // A number at the end is reserved for telling apart nodes with the same name.
  const plain = words.replaceAll(/^_+|_+$/g, '').replaceAll(/_(?=\d)/g, '');
  return plain.toLowerCase() || 'node';
}
