import type { Detection } from './detect-parameters.ts';
import type { Finding } from './finding.ts';
import type { Role, Sure } from './roles.ts';
import type { GraphNode } from './graph.ts';
import type { ModelFile } from './import-workflow.ts';
import { modelFolder } from './known-nodes.ts';
import { ModelParameters } from './model-parameters.ts';
import { nameNodes } from './name-nodes.ts';
import { isFileName, type ObjectInfo } from './object-info.ts';
import { type Fields, type ManifestValue, proposeOption, type ProposedOption } from './propose-options.ts';

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
  /**
   * A manifest with one route, ready to be written. It has no price: the price comes from a sample. `priceOfSample` in
   * `studio/src/administration/sample-model.ts` computes it.
   */
  readonly manifest: Fields;
  /** All findings, including guesses. The manifest binds those that are more than a guess. */
  readonly parameters: readonly ProposedParameter[];
  /** Bindings of the guesses, by target. They are written as commented-out lines. */
  readonly guesses: Readonly<Record<string, ManifestValue>>;
}

export interface ProposalOptions {
  readonly id: string;
  readonly name: string;
  /** Labels or names of backends. */
  readonly on: readonly string[];
  /** Name of the graph's file, next to the manifest. */
  readonly workflow: string;
  readonly models?: readonly ModelFile[];
}

/** Roles that keep the saved value unless the author marked them. */
const kept: readonly Role[] = ['negative', 'scheduler', 'steps', 'fps'];
const maxPerJob = 4;

/** Creates the manifest of a model from the findings in its graph: bindings, ranges, sizes, files. */
export function proposeManifest(
  detection: Detection,
  classes: ObjectInfo,
  options: ProposalOptions,
): ManifestProposal {
  const offered = new ModelParameters(detection, classes);
  const route = new RouteProposal(detection, offered);
  const { kind, suite, inpaint } = detection;
  const suiteKey = { image: 'Conjure', edit: 'Transform', video: 'Motion' }[suite];
  const bindings = route.bindings();
  return {
    manifest: {
      manifest: 1,
      id: options.id,
      name: options.name,
      suites: [suite],
      ...(inpaint ? { inpaint: true } : {}),
      // No input takes a prompt, not even as a guess.
      ...(detection.findings.some(({ role }) => role === 'prompt') ? {} : { prompt_required: false }),
      batch_size: { [suiteKey]: 1 },
      parameters: offered.fields(route.options()),
      routes: [
        {
          name: 'own',
          engine: 'comfyui',
          on: options.on,
          workflow: options.workflow,
          ...offered.workingSize(),
          nodes: route.nodes(),
          set: bindings.set,
          outputs: {
            from: detection.outputs.map((id) => route.nameOf(id)),
            kind,
            max_per_job: offered.found('outputs').length > 0 ? maxPerJob : 1,
          },
          requires: { models: route.models(options.models ?? []) },
        },
      ],
    },
    parameters: detection.findings.flatMap((one) => route.describe(one)),
    guesses: bindings.guesses,
  };
}

/** The route of a manifest: names of nodes, bindings, files. */
class RouteProposal {
  readonly #detection: Detection;
  readonly #offered: ModelParameters;
  readonly #names: ReadonlyMap<string, string>;
  readonly #options = new Map<Finding, ProposedOption>();

  constructor(detection: Detection, offered: ModelParameters) {
    this.#detection = detection;
    this.#offered = offered;
    this.#names = nameNodes(detection);
    for (const one of detection.findings) {
      const isMarked = one.marked === true && kept.includes(one.role);
      if (one.role !== 'option' && !isMarked) continue;
      const taken = Array.from(this.#options.values(), ({ key }) => key);
      const spec = this.#offered.specOf(one);
      const option = spec && proposeOption(spec, one, taken);
      if (option !== undefined) this.#options.set(one, option);
    }
  }

  options(): ProposedOption[] {
    return [...this.#options.values()];
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

  /** Returns the row of a finding for the operator's list. Returns none for a finding that keeps its saved value. */
  describe(one: Finding): ProposedParameter[] {
    const sources = this.#sourcesOf(one);
    if (sources.length === 0) return [];
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

  #sourcesOf(one: Finding): string[] {
    const option = this.#options.get(one);
    if (option !== undefined) return [`options.${option.key}`];
    if (one.role === 'prompt') return ['prompt', 'styles'];
    // One name chooses sampler and scheduler together.
    if (one.role === 'sampler' || one.role === 'scheduler')
      return this.#offered.samplerName() === undefined ? [] : ['sampler'];
    return kept.includes(one.role) || one.role === 'option' ? [] : [one.role];
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
        return {
          from: 'references',
          default: 'white',
          picture: { fit: 'own', item: this.#placeOf(one) },
        };
      case 'duration_seconds': {
        const frames = this.#offered.frames();
        return (
          frames && {
            from: 'duration_seconds',
            frames: { fps: frames.fps, step: frames.step, plus: 1 },
          }
        );
      }
      case 'sampler':
        return this.#samplerBinding(one);
      case 'scheduler':
        return this.#offered.found('sampler').length > 0 ? this.#samplerBinding(one) : undefined;
      case 'option':
      case 'negative':
      case 'steps':
      case 'fps':
        return undefined;
      default:
        return { from: one.role };
    }
  }

  #samplerBinding({ value }: Finding): ManifestValue | undefined {
    const name = this.#offered.samplerName();
    return name === undefined || typeof value !== 'string'
      ? undefined
      : { from: 'sampler', map: { [name]: value } };
  }

  /** Returns the frame rates that are passed to the model and differ from the video's rate. */
  #ratesToAdjust(): Finding[] {
    const { fps, findings } = this.#detection;
    return findings.filter(({ role, value }) => role === 'fps' && value !== fps);
  }

  #placeOf(one: Finding): number {
    return this.#offered.found('references').indexOf(one);
  }

  #node(id: string): GraphNode | undefined {
    return this.#detection.graph.get(id);
  }

  #target({ node, input }: Finding): string {
    return `${this.nameOf(node)}.${input}`;
  }
}
