/** The counterpart's classes: a few of ComfyUI's own, in the two forms that their lists have. */

type Spec = readonly unknown[];

interface ClassSpec {
  readonly required: Readonly<Record<string, Spec>>;
  readonly output: readonly string[];
  readonly isOutput?: boolean;
}

const int = (fallback: number, min: number, max: number): Spec => [
  'INT',
  { default: fallback, min, max, step: 1 },
];

const text: Spec = ['STRING', { multiline: true, dynamicPrompts: true }];

/** Classes that make an image from a prompt, as in ComfyUI's own first workflow. `checkpoints`: as below. */
function textToImage(checkpoints: readonly string[]): Record<string, ClassSpec> {
  return {
    CheckpointLoaderSimple: {
      required: { ckpt_name: [checkpoints, { tooltip: 'The name of the checkpoint (model) to load.' }] },
      output: ['MODEL', 'CLIP', 'VAE'],
    },
    CLIPTextEncode: { required: { text, clip: ['CLIP'] }, output: ['CONDITIONING'] },
    EmptyLatentImage: {
      required: {
        width: ['INT', { default: 512, min: 16, max: 16_384, step: 8 }],
        height: ['INT', { default: 512, min: 16, max: 16_384, step: 8 }],
        batch_size: ['INT', { default: 1, min: 1, max: 4096 }],
      },
      output: ['LATENT'],
    },
    KSampler: {
      required: {
        model: ['MODEL'],
        seed: ['INT', { default: 0, min: 0, max: Number.MAX_SAFE_INTEGER, control_after_generate: true }],
        steps: int(20, 1, 10_000),
        cfg: ['FLOAT', { default: 8, min: 0, max: 100, step: 0.1, round: 0.01 }],
        sampler_name: [['euler', 'dpmpp_2m']],
        scheduler: [['normal', 'karras']],
        positive: ['CONDITIONING'],
        negative: ['CONDITIONING'],
        latent_image: ['LATENT'],
        denoise: ['FLOAT', { default: 1, min: 0, max: 1, step: 0.01 }],
      },
      output: ['LATENT'],
    },
    // A class of a node pack. The names of its inputs do not show their purpose.
    HouseSampler: {
      required: { model: ['MODEL'], guide: ['CONDITIONING'], latent_image: ['LATENT'], effort: int(4, 1, 9) },
      output: ['LATENT'],
    },
    VAEDecode: { required: { samples: ['LATENT'], vae: ['VAE'] }, output: ['IMAGE'] },
  };
}

/** `checkpoints`: names of the model files that the machine has. */
export function counterpartClasses(checkpoints: readonly string[]): Record<string, ClassSpec> {
  return {
    EmptyImage: {
      required: {
        width: int(512, 1, 16_384),
        height: int(512, 1, 16_384),
        batch_size: ['INT', { default: 1, min: 1, max: 4096 }],
        color: ['INT', { default: 0, min: 0, max: 16_777_215, step: 1, display: 'color' }],
      },
      output: ['IMAGE'],
    },
    ImageBlur: {
      required: {
        image: ['IMAGE', {}],
        blur_radius: int(1, 1, 31),
        sigma: ['FLOAT', { default: 1, min: 0.1, max: 10, step: 0.1 }],
      },
      output: ['IMAGE'],
    },
    ImageScale: {
      required: {
        image: ['IMAGE'],
        upscale_method: [['nearest-exact', 'bilinear', 'area', 'bicubic', 'lanczos']],
        width: int(512, 0, 16_384),
        height: int(512, 0, 16_384),
        crop: [['disabled', 'center']],
      },
      output: ['IMAGE'],
    },
    LoadImage: { required: { image: [['example.png'], { image_upload: true }] }, output: ['IMAGE', 'MASK'] },
    ...textToImage(checkpoints),
    SaveImage: {
      required: {
        images: ['IMAGE', { tooltip: 'The images to save.' }],
        filename_prefix: ['STRING', { default: 'ComfyUI' }],
      },
      output: [],
      isOutput: true,
    },
    PreviewImage: { required: { images: ['IMAGE'] }, output: [], isOutput: true },
  };
}

/** A class as `/object_info` describes it. */
export function describeClass(name: string, { required, output, isOutput = false }: ClassSpec): object {
  return {
    input: { required, ...(isOutput && { hidden: { prompt: 'PROMPT', extra_pnginfo: 'EXTRA_PNGINFO' } }) },
    input_order: {
      required: Object.keys(required),
      ...(isOutput && { hidden: ['prompt', 'extra_pnginfo'] }),
    },
    output,
    output_is_list: output.map(() => false),
    output_name: output,
    name,
    display_name: name,
    description: '',
    python_module: 'nodes',
    category: 'image',
    output_node: isOutput,
  };
}

/** One error in an input. */
interface InputError {
  readonly type: string;
  readonly message: string;
  readonly details: string;
  readonly extra_info: object;
}

interface PlainNode {
  readonly class_type?: unknown;
  readonly inputs?: Readonly<Record<string, unknown>>;
}
export type PlainGraph = Readonly<Record<string, PlainNode>>;

const isLink = (value: unknown): value is [string, number] => Array.isArray(value) && value.length === 2;

export interface Validation {
  /** The error of the answer; null if something can be run. */
  readonly error: object | null;
  readonly nodeErrors: Readonly<Record<string, object>>;
  readonly outputs: readonly string[];
}

/** Returns the errors that ComfyUI would find in a graph. Valid outputs are run even if others are not. */
export function validatePrompt(
  graph: PlainGraph,
  classes: Readonly<Record<string, ClassSpec>>,
  hasInput: (name: string) => boolean,
): Validation {
  const refuse = (type: string, message: string, details: string): Validation => ({
    error: { type, message, details, extra_info: {} },
    nodeErrors: {},
    outputs: [],
  });
  for (const [id, node] of Object.entries(graph)) {
    const details = `Node ID '#${id}'`;
    if (typeof node?.class_type !== 'string')
      return refuse(
        'invalid_prompt',
        'Cannot execute because a node is missing the class_type property.',
        details,
      );
    if (classes[node.class_type] === undefined)
      return refuse(
        'invalid_prompt',
        `Cannot execute because node ${node.class_type} does not exist.`,
        details,
      );
  }
  const outputs = Object.keys(graph).filter(
    (id) => classes[String(graph[id]?.class_type)]?.isOutput === true,
  );
  if (outputs.length === 0) return refuse('prompt_no_outputs', 'Prompt has no outputs', '');
  const nodeErrors: Record<string, object> = {};
  const good = outputs.filter((output) => {
    const wrong = ancestors(graph, output).flatMap((id) => {
      const errors = inputErrors(graph[id] ?? {}, classes, hasInput);
      return errors.length === 0 ? [] : [{ id, errors }];
    });
    for (const { id, errors } of wrong)
      nodeErrors[id] = { errors, dependent_outputs: [output], class_type: graph[id]?.class_type };
    return wrong.length === 0;
  });
  const error =
    good.length > 0
      ? null
      : {
          type: 'prompt_outputs_failed_validation',
          message: 'Prompt outputs failed validation',
          details: '',
          extra_info: {},
        };
  return { error, nodeErrors, outputs: good };
}

/** Returns a node and all nodes that it needs, in the order in which they run. */
export function ancestors(graph: PlainGraph, id: string): string[] {
  const before = Object.values(graph[id]?.inputs ?? {}).flatMap((value) =>
    isLink(value) ? ancestors(graph, value[0]) : [],
  );
  return [...new Set([...before, id])];
}

function inputErrors(
  { class_type, inputs = {} }: PlainNode,
  classes: Readonly<Record<string, ClassSpec>>,
  hasInput: (name: string) => boolean,
): InputError[] {
  return Object.entries(classes[String(class_type)]?.required ?? {}).flatMap(([name, spec]): InputError[] => {
    const value = inputs[name];
    const [type, config] = spec as [unknown, { min?: number; max?: number; image_upload?: boolean }?];
    const wrong = (kind: string, message: string, details: string, more: object = {}): InputError[] => [
      { type: kind, message, details, extra_info: { input_name: name, ...more } },
    ];
    const received = { input_config: spec, received_value: value };
    if (value === undefined) return wrong('required_input_missing', 'Required input is missing', name);
    if (isLink(value)) return [];
    if (config?.image_upload === true)
      return hasInput(textOf(value))
        ? []
        : wrong(
            'custom_validation_failed',
            'Custom validation failed for node',
            `${name} - Invalid image file: ${textOf(value)}`,
          );
    if (Array.isArray(type) && !type.includes(value))
      return wrong(
        'value_not_in_list',
        'Value not in list',
        `${name}: '${textOf(value)}' not in ${JSON.stringify(type)}`,
        received,
      );
    if (type !== 'INT' && type !== 'FLOAT') return [];
    const number = Number(value);
    if (Number.isNaN(number))
      return wrong(
        'invalid_input_type',
        `Failed to convert an input value to a ${type} value`,
        `${name}, ${textOf(value)}`,
        {
          ...received,
          exception_message: 'invalid literal',
        },
      );
    if (config?.min !== undefined && number < config.min)
      return wrong(
        'value_smaller_than_min',
        `Value ${number} smaller than min of ${config.min}`,
        name,
        received,
      );
    if (config?.max !== undefined && number > config.max)
      return wrong(
        'value_bigger_than_max',
        `Value ${number} bigger than max of ${config.max}`,
        name,
        received,
      );
    return [];
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
