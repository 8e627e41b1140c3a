/**
 * A route: one way in which a model is made. It comes from a model's manifest, says which engine takes the job, what the
 * job sets there, and which files of the answer are the result. Keys are the manifest's own.
 */

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

/** Engines that the worker's own processes run, and that need no address. */
export const localEngines = ['procedural', 'sandbox', 'command'] as const;
/** Engines behind an address. */
export const remoteEngines = [
  'comfyui',
  'openai-images',
  'openai-videos',
  'a1111',
  'fal',
  'replicate',
] as const;
export const engineNames = [...localEngines, ...remoteEngines] as const;
/** Those that finish whatever they have begun: their protocol has no word for it, or it is billed all the same. */
export const unstoppableEngines: readonly RemoteEngineName[] = ['openai-images', 'openai-videos'];
export type LocalEngineName = (typeof localEngines)[number];
export type RemoteEngineName = (typeof remoteEngines)[number];
export type EngineName = (typeof engineNames)[number];

/** Media that a request may bring. */
export const mediaSources = [
  'references',
  'image',
  'mask',
  'start_image',
  'end_image',
  'audios',
  'source_video',
  'video',
] as const;
export type MediaSource = (typeof mediaSources)[number];

export const plainSources = [
  'prompt',
  'styles',
  'suggestions',
  /** A whole number of 0 … 2^32−1, plus the job's number where outputs are split over jobs. */
  'seed',
  /** Pixels of the working size. */
  'width',
  'height',
  'aspect_ratio',
  /** How many files this job should make. */
  'outputs',
  'sampler',
  'base_model',
  'strength',
  'mode',
  'inpaint_type',
  'duration_seconds',
  'short_side',
  /** `rk/<submission>/r`: unlike any other's. */
  'job.prefix',
  /** The submission's UUID. */
  'job.id',
] as const;
export type PlainSource = (typeof plainSources)[number];
/** A number that a request may set where its model has a range for it. Which there are, the studio's contract says. */
type SettingSource = string & Record<never, never>;
export type Source = PlainSource | MediaSource | `options.${string}` | SettingSource;

/** How media are made ready for the engine. */
export interface ImageBinding {
  /** `cover` (the default; references: `own`) cuts to the working size, `contain` pads, `stretch` distorts. */
  readonly fit?: 'cover' | 'contain' | 'stretch' | 'own';
  readonly max_pixels?: number;
  readonly format?: 'png' | 'jpeg';
  /** What of a mask changes. */
  readonly mask?: 'white_changes' | 'black_changes' | 'transparent_changes';
  /** 0-based: one of several. */
  readonly item?: number;
}

/** What a target is set to: one of `value`, `text` and `from`, then at most one of the four changes, then the rest in order. */
export interface Binding {
  readonly value?: JsonValue;
  /** Sources in braces: `{prompt}, {styles}`; `{{` is a brace. An empty source takes its comma along. */
  readonly text?: string;
  readonly from?: Source | readonly Source[];
  /** Where the request has nothing of it. `keep`: the file's own value, or no key. */
  readonly absent?: 'keep' | 'remove' | 'refuse';
  /** Where the request has nothing of it; of media `white` or `black`. */
  readonly default?: JsonValue;
  readonly map?: Readonly<Record<string, JsonValue>>;
  readonly bands?: readonly { readonly below?: number; readonly value: JsonValue }[];
  /** Linear, clamped. */
  readonly scale?: { readonly from: readonly [number, number]; readonly to: readonly [number, number] };
  /** Seconds become `step · round(seconds · fps / step) + plus` frames. */
  readonly frames?: { readonly fps: number; readonly step: number; readonly plus: number };
  readonly times?: number;
  readonly plus?: number;
  readonly round?: 'nearest' | 'down' | 'up';
  readonly multiple_of?: number;
  readonly min?: number;
  readonly max?: number;
  /** `json`: the value as the text of JSON. */
  readonly as?: 'int' | 'float' | 'string' | 'bool' | 'json';
  readonly picture?: ImageBinding;
  /** Needed where the target is a link in the workflow. */
  readonly replace?: boolean;
}

export interface Outputs {
  readonly kind: 'image' | 'video';
  /** A request for more is split into several jobs. */
  readonly max_per_job: number;
  /** Names of the workflow's nodes. */
  readonly from?: readonly string[];
  /** Pointer into the answer; `*` stands for each. */
  readonly at?: string;
  readonly nsfw_at?: string;
  /** Pattern of file names in the folder of a command. */
  readonly files?: string;
}

/** Money of a provider, for the guard and the ledger. */
export type Amount =
  | number
  | { readonly by: `options.${string}` | 'mode'; readonly values: Readonly<Record<string, number>> };

export interface Cost {
  /** ISO 4217. */
  readonly currency: string;
  readonly per_render?: Amount;
  readonly per_output?: Amount;
  readonly per_second?: Amount;
  readonly per_megapixel?: Amount;
  /** Prices of what the provider's answers count: what was reserved by the others is corrected with them. */
  readonly measured?: Readonly<Partial<Record<MeasuredUnit, number>>>;
}

/** Seconds that a job ran; tokens of the texts and of the images that were sent, and of what was made. */
export type MeasuredUnit =
  | 'per_second'
  | 'per_million_text_tokens'
  | 'per_million_image_tokens'
  | 'per_million_output_tokens';

/** Which requests a route takes; nothing said: all that its model takes. */
export interface RouteFor {
  readonly kind?: 'image' | 'image_edit' | 'video' | 'video_extend';
  readonly mode?: 'transform' | 'inpaint';
  readonly has?: readonly MediaSource[];
  readonly lacks?: readonly MediaSource[];
  readonly options?: Readonly<Record<string, string>>;
}

export interface RequiredModelFile {
  /** `checkpoint.ckpt_name`: node and input that name the file. */
  readonly input: string;
  readonly folder: string;
  readonly url?: string;
  readonly sha256?: string;
}

export interface Route {
  readonly name: string;
  readonly engine: EngineName;
  /** Names or labels of backends, any of them. */
  readonly on: readonly string[];
  readonly for?: RouteFor;
  /** The working size. */
  readonly size?: { readonly multiple_of?: number; readonly max_pixels?: number; readonly min_side?: number };
  readonly set: Readonly<Record<string, Binding>>;
  readonly outputs: Outputs;
  /** A fallback: taken after this wait, or at once where no earlier route has a backend that is up. */
  readonly opens?: { readonly after_seconds: number; readonly at_once_if?: 'none_up' };
  readonly cost?: Cost;
  /** What becomes of a job whose fate cannot be known. */
  readonly on_unknown?: 'ask' | 'fail' | 'retry';
  readonly typical_seconds?: number;
  readonly swap_seconds?: number;
  /** Routes with the same affinity share what a backend has loaded. Default: a digest of the model files. */
  readonly affinity?: string;
  /** Seconds. `silent`: without a sign of life. */
  readonly timeouts?: {
    readonly submit?: number;
    readonly start?: number;
    readonly run?: number;
    readonly silent?: number;
  };

  /** comfyui: name of the workflow's file (API format) beside the manifest, and names for what is bound. */
  readonly workflow?: string;
  readonly nodes?: Readonly<
    Record<string, { readonly id: string; readonly class: string; readonly title?: string }>
  >;
  readonly requires?: {
    readonly comfyui?: string;
    readonly vram_gb?: number;
    readonly packs?: readonly { readonly name: string; readonly id?: string; readonly version?: string }[];
    readonly models?: readonly RequiredModelFile[];
  };

  /** Calls: what is called, and what its body holds beside the targets. */
  readonly endpoint?: string;
  readonly call?: 'generations' | 'edits' | 'txt2img' | 'img2img';
  readonly body?: JsonObject;

  /** command: each word is one argument; no shell sees them. `{out}` is a folder of this try's own. */
  readonly run?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A regular expression over lines of standard error: two numbers are done and of, one is a percentage. */
  readonly progress?: string;

  /** procedural, sandbox: the engine's own name of the model, and the option whose seconds a render waits first. */
  readonly model?: string;
  readonly delay_option?: string;
}

const whenUnknown: Record<EngineName, NonNullable<Route['on_unknown']>> = {
  procedural: 'retry',
  sandbox: 'retry',
  command: 'retry',
  comfyui: 'ask',
  'openai-images': 'fail',
  'openai-videos': 'ask',
  a1111: 'retry',
  fal: 'ask',
  replicate: 'ask',
};

/**
 * What becomes of a route's job whose fate cannot be known. Where the route does not say: who can be asked is asked, on
 * one's own machine it is made anew, and what costs money and cannot be asked for is given up.
 */
export function onUnknownOf({ on_unknown, engine }: Pick<Route, 'on_unknown' | 'engine'>) {
  return on_unknown ?? whenUnknown[engine];
}
