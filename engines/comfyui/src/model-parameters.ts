import { aspectRatios, type Size, sizeRules } from './aspect-ratios.ts';
import type { Detection } from './detect-parameters.ts';
import type { Finding } from './finding.ts';
import type { Role } from './roles.ts';
import type { GraphNode } from './graph.ts';
import { findInput, type InputSpec, numberOption, type ObjectInfo } from './object-info.ts';
import type { Fields, ProposedOption } from './propose-options.ts';

/**
 * What a model offers (ranges, sizes, lengths), as fields of a manifest's `parameters`. The bindings of the manifest
 * are made by `propose-manifest.ts`.
 */
export class ModelParameters {
  readonly #detection: Detection;
  readonly #classes: ObjectInfo;

  constructor(detection: Detection, classes: ObjectInfo) {
    this.#detection = detection;
    this.#classes = classes;
  }

  /** Returns the findings of a role that are more than a guess. */
  found(role: Role): Finding[] {
    return this.#detection.findings.filter((one) => one.role === role && one.sure !== 'guess');
  }

  /** Returns the manifest's `parameters`, with the proposed options. */
  fields(options: readonly ProposedOption[]): Fields {
    const { kind, sizeNode } = this.#detection;
    const frames = this.frames();
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
        ...options.map(({ parameter }) => parameter),
      ],
    };
  }

  /** Returns the limits for the size of a user's image, if the graph works at that size. */
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

  /** Returns how seconds become frames. `seconds` are the lengths to offer. Undefined for images. */
  frames(): { fps: number; step: number; seconds: number[] } | undefined {
    const [one] = this.found('duration_seconds');
    const { fps } = this.#detection;
    if (one === undefined || fps === undefined || typeof one.value !== 'number') return undefined;
    const spec = this.specOf(one);
    const step = (spec && numberOption(spec, 'step')) ?? 1;
    const maxSeconds = Math.max(1, Math.floor((one.value - 1) / fps));
    return { fps, step, seconds: Array.from({ length: Math.min(maxSeconds, 10) }, (_, at) => at + 1) };
  }

  /** Returns one name for the pair of sampler and scheduler. Undefined for videos: their requests choose no sampler. */
  samplerName(): string | undefined {
    if (this.#detection.kind === 'video') return undefined;
    const [sampler] = this.found('sampler');
    const scheduler = this.#detection.findings.find(({ role }) => role === 'scheduler');
    if (typeof sampler?.value !== 'string') return undefined;
    return typeof scheduler?.value === 'string' ? `${sampler.value}_${scheduler.value}` : sampler.value;
  }

  /** Returns the class's specification of the input of a finding. */
  specOf({ node, input }: Finding): InputSpec | undefined {
    const holder = this.#detection.graph.get(node);
    const nodeClass = holder && this.#classes.get(holder.classType);
    return nodeClass && findInput(nodeClass, input, holder?.inputs);
  }

  #sampler(): Fields {
    const name = this.samplerName();
    return name === undefined ? {} : { sampler: name };
  }

  #range(role: 'cfg' | 'weight'): Fields {
    const [one] = this.found(role);
    const spec = one && this.specOf(one);
    if (spec === undefined || typeof one?.value !== 'number') return {};
    return { [role]: rangeAround(one.value, spec) };
  }

  #frameRules(): Fields {
    const start = this.found('start_image').length > 0;
    const end = this.found('end_image').length > 0;
    // The graph has a loader there, so an image is required.
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

/** Returns a useful range around the author's value, within the limits of the input. */
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
