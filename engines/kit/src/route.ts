/**
 * A route: one way to make results with a model. A route is part of a model's manifest. It defines which engine takes
 * the job, what the job sets there, and which files of the answer are the result. Keys have the manifest's spelling.
 * `manifests/src/manifest-schema.ts` reads the keys, and `manifests/src/check-route.ts` checks them.
 * `studio/sql/functions/waiting_for.sql` and `first_route.sql` beside it decide which route a render gets.
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
/**
 * Engines that finish every job that they have begun: their protocol cannot cancel it, or bills it anyway.
 * `studio/sql/functions/stop_render.sql` then answers `too_late`.
 */
export const unstoppableEngines: readonly RemoteEngineName[] = ['openai-images', 'openai-videos'];
export type LocalEngineName = (typeof localEngines)[number];
export type RemoteEngineName = (typeof remoteEngines)[number];
export type EngineName = (typeof engineNames)[number];

/** Media that a request may contain. */
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
  /** An integer of 0 … 2^32−1, plus the job's number where outputs are split over several jobs. */
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
  /** `rk/<submission>/r`: unique to the submission. */
  'job.prefix',
  /** The submission's UUID. */
  'job.id',
] as const;
export type PlainSource = (typeof plainSources)[number];
/** A number that a request may set where its model has a range for it. The studio's contract lists these names. */
type SettingSource = string & Record<never, never>;
export type Source = PlainSource | MediaSource | `options.${string}` | SettingSource;

/** How media are prepared for the engine. `prepare-media.ts` applies this. */
export interface ImageBinding {
  /** `cover` (the default; references: `own`) cuts to the working size, `contain` pads, `stretch` distorts. */
  readonly fit?: 'cover' | 'contain' | 'stretch' | 'own';
  readonly max_pixels?: number;
  readonly format?: 'png' | 'jpeg';
  /** Which part of a mask changes. */
  readonly mask?: 'white_changes' | 'black_changes' | 'transparent_changes';
  /** 0-based: the index of one of several media. */
  readonly item?: number;
}

/**
 * How the value of a target is made: one of `value`, `text` and `from`, then at most one of `map`, `bands`, `scale` and
 * `frames`, then the other changes in order. `resolve-bindings.ts` takes the value, `transform-value.ts` changes it.
 */
export interface Binding {
  readonly value?: JsonValue;
  /** Sources in braces: `{prompt}, {styles}`; `{{` is a literal brace. An empty source also removes its comma. */
  readonly text?: string;
  readonly from?: Source | readonly Source[];
  /** What to do where the request does not have the value. `keep`: the file's own value, or no key. */
  readonly absent?: 'keep' | 'remove' | 'refuse';
  /** The value where the request does not have one; for media `white` or `black`. */
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
  /** `json`: the value as JSON text. */
  readonly as?: 'int' | 'float' | 'string' | 'bool' | 'json';
  readonly picture?: ImageBinding;
  /** Needed where the target is a link in the workflow. */
  readonly replace?: boolean;
}

export interface Outputs {
  readonly kind: 'image' | 'video';
  /** A request for more outputs is split into several jobs. */
  readonly max_per_job: number;
  /** Names of the workflow's nodes. */
  readonly from?: readonly string[];
  /** Pointer into the answer; `*` means each item. */
  readonly at?: string;
  readonly nsfw_at?: string;
  /** Pattern of file names in the folder of a command. */
  readonly files?: string;
}

/** Money at a provider, for the spending guard and the ledger. */
export type Amount =
  | number
  | { readonly by: `options.${string}` | 'mode'; readonly values: Readonly<Record<string, number>> };

/**
 * Prices of a provider. `studio/sql/functions/route_cost.sql` computes the cost of a job; `is_affordable.sql` beside it
 * guards against selling below cost.
 */
export interface Cost {
  /** ISO 4217. */
  readonly currency: string;
  readonly per_render?: Amount;
  readonly per_output?: Amount;
  readonly per_second?: Amount;
  readonly per_megapixel?: Amount;
  /** Prices of what the provider's answers count. They correct the amount that the other prices reserved. */
  readonly measured?: Readonly<Partial<Record<MeasuredUnit, number>>>;
}

/** Seconds that a job ran; tokens of the texts and images that were sent, and tokens of the output. */
export type MeasuredUnit =
  | 'per_second'
  | 'per_million_text_tokens'
  | 'per_million_image_tokens'
  | 'per_million_output_tokens';

/**
 * Which requests a route accepts; without it all that its model accepts. `takes` in
 * `manifests/src/accepted-requests.ts` and `studio/sql/functions/route_takes.sql` apply it.
 */
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
  /** Names or labels of backends; any of these backends may be used. */
  readonly on: readonly string[];
  readonly for?: RouteFor;
  /** The working size. */
  readonly size?: { readonly multiple_of?: number; readonly max_pixels?: number; readonly min_side?: number };
  readonly set: Readonly<Record<string, Binding>>;
  readonly outputs: Outputs;
  /**
   * Makes the route a fallback: used after this wait, or at once where no earlier route has a backend that is up.
   * `studio/sql/functions/waiting_for.sql` applies it.
   */
  readonly opens?: { readonly after_seconds: number; readonly at_once_if?: 'none_up' };
  readonly cost?: Cost;
  /** What to do with a job whose outcome cannot be known. `locate` in `studio/src/renders/send-job.ts` applies it. */
  readonly on_unknown?: 'ask' | 'fail' | 'retry';
  readonly typical_seconds?: number;
  readonly swap_seconds?: number;
  /** Routes with the same affinity share what a backend has loaded. Default: a digest of the model files. */
  readonly affinity?: string;
  /**
   * Seconds. `silent`: time without a sign of life. `studio/src/renders/send-job.ts` applies `submit`, `follow-job.ts`
   * beside it the others.
   */
  readonly timeouts?: {
    readonly submit?: number;
    readonly start?: number;
    readonly run?: number;
    readonly silent?: number;
  };

  /** comfyui: name of the workflow's file (API format) next to the manifest, and names for its nodes. */
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

  /** Calls: what is called, and what its body contains in addition to the targets. */
  readonly endpoint?: string;
  readonly call?: 'generations' | 'edits' | 'txt2img' | 'img2img';
  readonly body?: JsonObject;

  /** command: each word is one argument, and no shell is used. `{out}` is a folder of this try only. */
  readonly run?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /**
   * A regular expression for lines of standard error. Two groups are the steps done and the total; one group is a
   * percentage.
   */
  readonly progress?: string;

  /**
   * procedural, sandbox: the engine's own name of the model, and the option that sets how many seconds a render waits
   * first.
   */
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
 * Returns what to do with a route's job whose outcome cannot be known. The default depends on the engine: `ask` where
 * the engine can be asked, `retry` on one's own machine, `fail` where the job costs money and cannot be looked up.
 */
export function onUnknownOf({ on_unknown, engine }: Pick<Route, 'on_unknown' | 'engine'>) {
  return on_unknown ?? whenUnknown[engine];
}
