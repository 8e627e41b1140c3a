import { aspectRatios, type Size, sizeRules } from './aspect-ratios.ts';
import type { Detection } from './detect-parameters.ts';
import type { Finding, Role, Sure } from './finding.ts';
import type { GraphNode } from './graph.ts';
import type { ModelFile } from './import-workflow.ts';
import { modelFolder } from './known-nodes.ts';
import { nameNodes } from './name-nodes.ts';
import { findInput, isFileName, type InputSpec, numberOption, type ObjectInfo } from './object-info.ts';
import { type ManifestValue, proposeOption, type ProposedOption } from './propose-options.ts';

type Fields = Record<string, ManifestValue>;

export interface ProposedParameter {
  /** As in the manifest: `positive.text`. */
  readonly target: string;
  /** Id of the node in the graph. */
  readonly node: string;
  /** First of the sources. */
  readonly source: string;
  readonly sources: readonly string[];
  readonly sure: Sure;
  readonly reason: string;
}

export interface ManifestProposal {
  /** A manifest with one route, ready to be written. It lacks a price: that comes from a sample. */
  readonly manifest: Fields;
  /** All that was found, guesses too; what is more than a guess is bound in the manifest. */
  readonly parameters: readonly ProposedParameter[];
  /** Bindings of the guesses, by target: written commented out. */
  readonly guesses: Readonly<Record<string, ManifestValue>>;
}

export interface ProposalOptions {
  readonly id: string;
  readonly name: string;
  /** Labels or names of backends. */
  readonly on: readonly string[];
  /** The graph's file beside the manifest. */
  readonly workflow: string;
  readonly models?: readonly ModelFile[];
}

/** Roles that stay as the author saved them, unless they are marked. */
const kept: readonly Role[] = ['negative', 'scheduler', 'steps', 'fps'];
const maxPerJob = 4;

/** The manifest of a model, made from what was found in its graph: bindings, ranges, sizes, files. */
export function proposeManifest(
  detection: Detection,
  classes: ObjectInfo,
  options: ProposalOptions,
): ManifestProposal {
  const proposal = new Proposal(detection, classes);
  const { kind, suite, inpaint } = detection;
  const suiteKey = { image: 'Conjure', edit: 'Transform', video: 'Motion' }[suite];
  const bindings = proposal.bindings();
  return {
    manifest: {
      manifest: 1,
      id: options.id,
      name: options.name,
      suites: [suite],
      ...(inpaint ? { inpaint: true } : {}),
      batch_size: { [suiteKey]: 1 },
      parameters: proposal.parameters(),
      routes: [
        {
          name: 'own',
          engine: 'comfyui',
          on: options.on,
          workflow: options.workflow,
          ...proposal.workingSize(),
          nodes: proposal.nodes(),
          set: bindings.set,
          outputs: {
            from: detection.outputs.map((id) => proposal.nameOf(id)),
            kind,
            max_per_job: proposal.found('outputs').length > 0 ? maxPerJob : 1,
          },
          requires: { models: proposal.models(options.models ?? []) },
        },
      ],
    },
    parameters: detection.findings.flatMap((one) => proposal.describe(one)),
    guesses: bindings.guesses,
  };
}

class Proposal {
  readonly #detection: Detection;
  readonly #classes: ObjectInfo;
  readonly #names: ReadonlyMap<string, string>;
  readonly #options = new Map<Finding, ProposedOption>();

  constructor(detection: Detection, classes: ObjectInfo) {
    this.#detection = detection;
    this.#classes = classes;
    this.#names = nameNodes(detection);
    for (const one of detection.findings) {
      const isMarked = one.marked === true && kept.includes(one.role);
      if (one.role !== 'option' && !isMarked) continue;
      const taken = Array.from(this.#options.values(), ({ key }) => key);
      const spec = this.#specOf(one);
      const option = spec && proposeOption(spec, one, taken);
      if (option !== undefined) this.#options.set(one, option);
    }
  }

  nameOf(id: string): string {
    return this.#names.get(id) ?? id;
  }

  nodes(): Fields {
    return Object.fromEntries(
      Array.from(this.#names, ([id, name]): [string, ManifestValue] => {
        const { classType = '', title } = this.#node(id) ?? {};
        return [name, title === undefined ? { id, class: classType } : { id, class: classType, title }];
      }),
    );
  }

  /** What was found of a role and is more than a guess. */
  found(role: Role): Finding[] {
    return this.#detection.findings.filter((one) => one.role === role && one.sure !== 'guess');
  }

  describe(one: Finding): ProposedParameter[] {
    const option = this.#options.get(one);
    if (option === undefined && (kept.includes(one.role) || one.role === 'option')) return [];
    const sources =
      option === undefined
        ? one.role === 'prompt'
          ? ['prompt', 'styles']
          : [one.role]
        : [`options.${option.key}`];
    return [
      {
        target: this.#target(one),
        node: one.node,
        source: sources[0] ?? '',
        sources,
        sure: one.sure,
        reason: one.reason,
      },
    ];
  }

  bindings(): { set: Fields; guesses: Fields } {
    const set: Fields = {};
    const guesses: Fields = {};
    for (const one of this.#detection.findings) {
      const binding = this.#binding(one);
      if (binding !== undefined) (one.sure === 'guess' ? guesses : set)[this.#target(one)] = binding;
    }
    for (const { node, input, value } of this.#detection.constants) {
      if (typeof value === 'string') set[`${this.nameOf(node)}.${input}`] = { value };
    }
    for (const rate of this.#ratesToAdjust())
      set[this.#target(rate)] = { value: this.#detection.fps ?? null };
    for (const id of this.#detection.outputs) {
      if (this.#node(id)?.inputs.has('filename_prefix') === true)
        set[`${this.nameOf(id)}.filename_prefix`] = { from: 'job.prefix' };
    }
    return { set, guesses };
  }

  parameters(): Fields {
    const { kind, sizeNode } = this.#detection;
    const frames = this.#frames();
    const references = this.found('references').length;
    const size = this.#size();
    const ratios = aspectRatios(size, sizeRules(this.#sideSpecs(sizeNode)), kind);
    return {
      ...(kind === 'image'
        ? { aspect_ratios: ratios.map(({ ratio, width, height }) => ({ ratio, width, height })) }
        : {
            video_sizes: Object.fromEntries(
              ratios.map(({ ratio, width, height }) => [ratio, { width, height }]),
            ),
          }),
      ...(sizeNode === undefined || kind === 'video' ? { same_ratio_supported: true } : {}),
      ...(frames === undefined
        ? {}
        : {
            durations: frames.seconds.map((value) => ({
              value: String(value),
              label: value === 1 ? '1 second' : `${value} seconds`,
            })),
          }),
      ...(kind === 'video' ? { frames: this.#frameRules() } : {}),
      ...this.#range('cfg'),
      ...this.#range('weight'),
      ...this.#sampler(),
      ...(references > 0 ? { max_reference_images: references } : {}),
      ...(this.#detection.inpaint ? { mask_blur: { min: 0, max: 64, step: 1, default: 8 } } : {}),
      options: [
        ...(this.found('seed').length > 0 ? [seedOption] : []),
        ...Array.from(this.#options.values(), ({ parameter }) => parameter),
      ],
    };
  }

  /** Sizes that the graph can work at, where they are those of a picture that users send. */
  workingSize(): Fields {
    if (this.#detection.sizeNode !== undefined) {
      const { multipleOf } = sizeRules(this.#sideSpecs(this.#detection.sizeNode));
      const { width, height } = this.#size();
      return this.#detection.kind === 'video'
        ? { size: { multiple_of: multipleOf, max_pixels: width * height } }
        : {};
    }
    return { size: { multiple_of: 16, max_pixels: 1_572_864 } };
  }

  models(known: readonly ModelFile[]): ManifestValue[] {
    return [...this.#detection.graph.values()].flatMap((node) =>
      Array.from(node.inputs).flatMap(([input, value]): ManifestValue[] => {
        if (!isFileName(value) || this.#names.get(node.id) === undefined) return [];
        const file = known.find(({ name }) => name === value);
        const folder = modelFolder(node.classType, input) ?? file?.folder;
        return [
          {
            input: `${this.nameOf(node.id)}.${input}`,
            folder: folder ?? '',
            ...(file?.url === undefined ? {} : { url: file.url }),
            ...(file?.sha256 === undefined ? {} : { sha256: file.sha256 }),
          },
        ];
      }),
    );
  }

  #binding(one: Finding): ManifestValue | undefined {
    const option = this.#options.get(one);
    if (option !== undefined) return option.binding;
    switch (one.role) {
      case 'prompt':
        return { text: '{prompt}, {styles}' };
      case 'image':
        return { from: 'image', picture: {} };
      case 'mask':
        return { from: 'mask', default: 'white', picture: { mask: 'white_changes' } };
      case 'start_image':
      case 'end_image':
        return { from: one.role, picture: { fit: 'cover' } };
      case 'references':
        return { from: 'references', default: 'white', picture: { fit: 'own', item: this.#placeOf(one) } };
      case 'duration_seconds': {
        const frames = this.#frames();
        return (
          frames && { from: 'duration_seconds', frames: { fps: frames.fps, step: frames.step, plus: 1 } }
        );
      }
      case 'sampler':
        return this.#samplerBinding(one);
      case 'scheduler':
        return this.found('sampler').length > 0 ? this.#samplerBinding(one) : undefined;
      case 'option':
      case 'negative':
      case 'steps':
      case 'fps':
        return undefined;
      default:
        return { from: one.role };
    }
  }

  /** One name stands for the pair of sampler and scheduler. */
  #samplerName(): string | undefined {
    const [sampler] = this.found('sampler');
    const scheduler = this.#detection.findings.find(({ role }) => role === 'scheduler');
    if (typeof sampler?.value !== 'string') return undefined;
    return typeof scheduler?.value === 'string' ? `${sampler.value}_${scheduler.value}` : sampler.value;
  }

  #samplerBinding({ value }: Finding): ManifestValue | undefined {
    const name = this.#samplerName();
    return name === undefined || typeof value !== 'string'
      ? undefined
      : { from: 'sampler', map: { [name]: value } };
  }

  #sampler(): Fields {
    const name = this.#samplerName();
    return name === undefined ? {} : { sampler: name };
  }

  #range(role: 'cfg' | 'weight'): Fields {
    const [one] = this.found(role);
    const spec = one && this.#specOf(one);
    if (spec === undefined || typeof one?.value !== 'number') return {};
    return { [role]: rangeAround(one.value, spec) };
  }

  #frames(): { fps: number; step: number; seconds: number[] } | undefined {
    const [one] = this.found('duration_seconds');
    const { fps } = this.#detection;
    if (one === undefined || fps === undefined || typeof one.value !== 'number') return undefined;
    const spec = this.#specOf(one);
    const step = (spec && numberOption(spec, 'step')) ?? 1;
    const most = Math.max(1, Math.floor((one.value - 1) / fps));
    return { fps, step, seconds: Array.from({ length: Math.min(most, 10) }, (_, at) => at + 1) };
  }

  #frameRules(): Fields {
    const start = this.found('start_image').length > 0;
    const end = this.found('end_image').length > 0;
    // The graph has a loader there, so something has to be loaded.
    return { start, start_required: start, end, end_required: end };
  }

  #size(): Size {
    const side = (role: 'width' | 'height'): number | undefined => {
      const value = this.found(role)[0]?.value;
      return typeof value === 'number' ? value : undefined;
    };
    return { width: side('width') ?? 1024, height: side('height') ?? 1024 };
  }

  #sideSpecs(node: GraphNode | undefined): (InputSpec | undefined)[] {
    const nodeClass = node && this.#classes.get(node.classType);
    return nodeClass === undefined ? [] : [findInput(nodeClass, 'width'), findInput(nodeClass, 'height')];
  }

  /** Frame rates that the model is told and that differ from the video's. */
  #ratesToAdjust(): Finding[] {
    const { fps, findings } = this.#detection;
    return findings.filter(({ role, value }) => role === 'fps' && value !== fps);
  }

  #placeOf(one: Finding): number {
    return this.found('references').indexOf(one);
  }

  #node(id: string): GraphNode | undefined {
    return this.#detection.graph.get(id);
  }

  #specOf({ node, input }: Finding): InputSpec | undefined {
    const holder = this.#node(node);
    const nodeClass = holder && this.#classes.get(holder.classType);
    return nodeClass && findInput(nodeClass, input, holder?.inputs);
  }

  #target({ node, input }: Finding): string {
    return `${this.nameOf(node)}.${input}`;
  }
}

const seedOption: Fields = {
  key: 'seed',
  name: 'Seed',
  type: 'slider',
  min: -1,
  max: 4294967295,
  step: 1,
  default: -1,
};

/** A range that makes sense around the author's value, within what the input takes. */
function rangeAround(value: number, spec: InputSpec): Fields {
  const [low, high] =
    value <= 5 ? [1, 10] : value <= 10 ? [1, 15] : [Math.floor(value / 3), Math.ceil(value * 2)];
  const [from, to] = value < 1 ? [0, 2] : [low, high];
  return {
    min: Math.max(from, numberOption(spec, 'min') ?? from),
    max: Math.min(to, numberOption(spec, 'max') ?? to),
    step: value < 1 ? 0.05 : value > 10 ? 1 : 0.5,
    default: value,
  };
}
