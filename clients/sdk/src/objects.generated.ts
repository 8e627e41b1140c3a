// Written by tools/generate-sdk-objects.ts from contract/openapi.json; changes here are lost.

/** The studio account behind the key. */
export type Account = {
  /** Id of the account in the studio's world. */
  id: string;
  object: 'account';
  /** Its e-mail address. */
  email: string | null;
  /** What its holder is called. */
  name: string | null;
  /** Its short name in the studio. */
  username: string | null;
  /** The plan, or null without one. */
  tier: {
    /** Stable name of the plan. */
    key: string | null;
    /** Name of the plan for people. */
    name: string | null;
  } | null;
  /** The account belongs to an organization. */
  organization: boolean;
  /** The holder has proved to be of age. */
  age_verified: boolean;
  /** What can be spent now. */
  credits: Balance | null;
  /** What the plan allows. */
  capabilities: {
    /** Audio may be uploaded. */
    audio_upload: boolean;
    /** Videos may be uploaded. */
    video_upload: boolean;
    /** Anything may be uploaded at all. */
    uploads: boolean;
    /** The account may have models of its own. */
    custom_models: boolean;
    /** Ways in which characters can be made. */
    character_creation_modes: Array<string>;
  };
};

/** An item of the library: anything generated on the account. */
export type Asset = {
  /** For something generated here, the output's id. */
  id: string;
  object: 'asset';
  /** What it is; a saved frame is an image. */
  type: 'image' | 'video';
  /** How it came to be; `frame` for a saved frame. */
  generation_type: string | null;
  /** A link to the studio's storage. */
  url: string | null;
  /** A link to a small picture of it. */
  thumb_url: string | null;
  /** Pixels. */
  width: number | null;
  /** Pixels. */
  height: number | null;
  /** Seconds. */
  duration: number | null;
  /** Width to height, as `16:9`. */
  aspect_ratio: string | null;
  /** Only for adults. */
  nsfw: boolean;
  /** Marked as a favorite. */
  favorite: boolean;
  /** The project that it lies in. */
  project_id: string | null;
  /** Shared by all that one generation made. */
  prompt_id: string | null;
  /** When it was made. */
  created_at: string | null;
};

/** One page of a list. */
export type AssetList = {
  object: 'list';
  /** The items of this page. */
  data: Array<Asset>;
  /** Number of this page, from 1. */
  page: number;
  /** How many items a page holds at most. */
  limit: number;
  /** True when there is a page after this one. */
  has_more: boolean;
};

/** What the account can spend. */
export type Balance = {
  object: 'balance';
  /** Credits that can be spent now: `monthly` and `lifetime` together, less what waits to be charged. */
  balance: number;
  /** Credits left of those that come with the plan each month. */
  monthly: number | null;
  /** Credits left of those that were bought; they do not expire. */
  lifetime: number | null;
  /** Credits that the plan gives each month. */
  monthly_allowance: number | null;
  /** When the monthly credits renew. */
  next_refill: string | null;
};

/** A picture made from a picture, or a part of it made anew. */
export type CreateEditRequest = {
  /** Id of a model; the default of the suite when left out. */
  model?: string | undefined;
  /** For characters: one of the model's `base_models`. */
  base_model?: string | undefined;
  /** Where the outputs go; a project named API when left out. */
  project_id?: string | undefined;
  /** What to make. Most models require it. */
  prompt?: string | undefined;
  /** Ids of styles. */
  styles?: Array<string> | undefined;
  /** Ids of suggestions, one of a category at most. */
  suggestions?: Array<string> | undefined;
  /** Settings of the model alone, by the keys of its `parameters.options`. */
  options?: Record<string, string | number | boolean> | undefined;
  /** The client's own notes, given back on the generation and in events. */
  metadata?: Record<string, string> | undefined;
  /** One that the model offers. */
  aspect_ratio?: string | undefined;
  /** Within the model's `parameters.cfg`. */
  cfg?: number | undefined;
  /** Within the model's `parameters.weight`. */
  weight?: number | undefined;
  /** Within the model's `parameters.clip_skip`. */
  clip_skip?: number | undefined;
  /** Where the model lets one choose. */
  sampler?: string | undefined;
  /** Pictures to go by, as many as the model takes. */
  reference_images?: Array<string> | undefined;
  /** The picture to change. Id of an upload, https address, or id of an item in the library. */
  image: string;
  /** `transform` when left out. */
  mode?: 'transform' | 'inpaint' | undefined;
  /** How far the result may depart from the source: 0.5 when left out, 0.8 for `fill`. */
  strength?: number | undefined;
  /** Inpaint only: a PNG, white where the picture is to change, as a data URL or the id of an upload. */
  mask?: string | undefined;
  /** Inpaint only. */
  inpaint_type?: 'refine' | 'fill' | undefined;
  /** Inpaint only, within the model's `parameters.mask_blur`. */
  mask_blur?: number | undefined;
};

/** Which moment, and where to keep it. */
export type CreateFrameRequest = {
  /** Seconds from the start, or `last`. */
  time: number | 'last';
  /** Also saves the frame in this project. */
  project_id?: string | undefined;
};

/** A picture made from text. How many come back is set by the model. */
export type CreateImageRequest = {
  /** Id of a model; the default of the suite when left out. */
  model?: string | undefined;
  /** For characters: one of the model's `base_models`. */
  base_model?: string | undefined;
  /** Where the outputs go; a project named API when left out. */
  project_id?: string | undefined;
  /** What to make. Most models require it. */
  prompt?: string | undefined;
  /** Ids of styles. */
  styles?: Array<string> | undefined;
  /** Ids of suggestions, one of a category at most. */
  suggestions?: Array<string> | undefined;
  /** Settings of the model alone, by the keys of its `parameters.options`. */
  options?: Record<string, string | number | boolean> | undefined;
  /** The client's own notes, given back on the generation and in events. */
  metadata?: Record<string, string> | undefined;
  /** One that the model offers. */
  aspect_ratio?: string | undefined;
  /** Within the model's `parameters.cfg`. */
  cfg?: number | undefined;
  /** Within the model's `parameters.weight`. */
  weight?: number | undefined;
  /** Within the model's `parameters.clip_skip`. */
  clip_skip?: number | undefined;
  /** Where the model lets one choose. */
  sampler?: string | undefined;
  /** Pictures to go by, as many as the model takes. */
  reference_images?: Array<string> | undefined;
};

/** May be left out; the title is then "Untitled". */
export type CreateProjectRequest = {
  /** Letters, digits and white space. */
  title?: string | undefined;
};

/** Imports a file from an address. */
export type CreateUploadRequest = {
  /** Public https address from which the file is fetched. */
  url: string;
  /** Project that it belongs to. */
  project_id?: string | undefined;
};

/** A video made from text or pictures. */
export type CreateVideoRequest = {
  /** Id of a model; the default of the suite when left out. */
  model?: string | undefined;
  /** For characters: one of the model's `base_models`. */
  base_model?: string | undefined;
  /** Where the outputs go; a project named API when left out. */
  project_id?: string | undefined;
  /** What to make. Most models require it. */
  prompt?: string | undefined;
  /** Ids of styles. */
  styles?: Array<string> | undefined;
  /** Ids of suggestions, one of a category at most. */
  suggestions?: Array<string> | undefined;
  /** Settings of the model alone, by the keys of its `parameters.options`. */
  options?: Record<string, string | number | boolean> | undefined;
  /** The client's own notes, given back on the generation and in events. */
  metadata?: Record<string, string> | undefined;
  /** One that the model offers. */
  aspect_ratio?: string | undefined;
  /** Within the model's `parameters.cfg`. */
  cfg?: number | undefined;
  /** Pictures to go by, as many as the model takes. */
  reference_images?: Array<string> | undefined;
  /** Seconds; one of the durations of the model. 5 and "5" are the same. */
  duration?: string | number | undefined;
  /** First frame, where the model takes one. Id of an upload, https address, or id of an item in the library. */
  start_image?: string | undefined;
  /** Last frame, where the model takes one. Id of an upload, https address, or id of an item in the library. */
  end_image?: string | undefined;
  /** Reference audio, where the model takes any. */
  reference_audios?: Array<string> | undefined;
  /** A video to start from, where the model takes one. Id of an upload, https address, or id of an item in the library. */
  source_video?: string | undefined;
};

/** Says that the item is gone from the library. */
export type DeletedAsset = {
  /** Id that the item had. */
  id: string;
  object: 'asset';
  deleted: true;
};

/** Says that the project is gone. */
export type DeletedProject = {
  /** Id that the project had. */
  id: string;
  object: 'project';
  deleted: true;
};

/** Says that the upload is gone, with its file. */
export type DeletedUpload = {
  /** Id that the upload had. */
  id: string;
  object: 'upload';
  deleted: true;
};

/** What a generation would cost. */
export type Estimate = {
  object: 'estimate';
  /** As in the request. */
  kind: 'image' | 'image_edit' | 'video' | 'video_extend';
  /** Id of the model that would render it. */
  model: string;
  /** What the generation would cost. */
  credits: number;
  /** Credits that can be spent now. */
  balance: number | null;
  /** Whether the balance covers the cost. */
  sufficient: boolean | null;
  /** How many outputs it would have. */
  outputs: number;
};

/** The edit request, to be priced. */
export type EstimateEditRequest = {
  kind: 'image_edit';
  /** Id of a model; the default of the suite when left out. */
  model?: string | undefined;
  /** For characters: one of the model's `base_models`. */
  base_model?: string | undefined;
  /** Where the outputs go; a project named API when left out. */
  project_id?: string | undefined;
  /** What to make. Most models require it. */
  prompt?: string | undefined;
  /** Ids of styles. */
  styles?: Array<string> | undefined;
  /** Ids of suggestions, one of a category at most. */
  suggestions?: Array<string> | undefined;
  /** Settings of the model alone, by the keys of its `parameters.options`. */
  options?: Record<string, string | number | boolean> | undefined;
  /** The client's own notes, given back on the generation and in events. */
  metadata?: Record<string, string> | undefined;
  /** One that the model offers. */
  aspect_ratio?: string | undefined;
  /** Within the model's `parameters.cfg`. */
  cfg?: number | undefined;
  /** Within the model's `parameters.weight`. */
  weight?: number | undefined;
  /** Within the model's `parameters.clip_skip`. */
  clip_skip?: number | undefined;
  /** Where the model lets one choose. */
  sampler?: string | undefined;
  /** Pictures to go by, as many as the model takes. */
  reference_images?: Array<string> | undefined;
  /** The picture to change. Id of an upload, https address, or id of an item in the library. */
  image: string;
  /** `transform` when left out. */
  mode?: 'transform' | 'inpaint' | undefined;
  /** How far the result may depart from the source: 0.5 when left out, 0.8 for `fill`. */
  strength?: number | undefined;
  /** Inpaint only: a PNG, white where the picture is to change, as a data URL or the id of an upload. */
  mask?: string | undefined;
  /** Inpaint only. */
  inpaint_type?: 'refine' | 'fill' | undefined;
  /** Inpaint only, within the model's `parameters.mask_blur`. */
  mask_blur?: number | undefined;
};

/** The extend request, to be priced. */
export type EstimateExtendRequest = {
  kind: 'video_extend';
  /** Output id of a finished video generation. */
  video_id: string;
  /** How the video is to go on. */
  prompt?: string | undefined;
  /** Seconds; one of the durations of the model. 5 and "5" are the same. */
  duration?: string | number | undefined;
  /** One of the extend model's option `resolution`. */
  resolution?: string | undefined;
  /** Where the outputs go; a project named API when left out. */
  project_id?: string | undefined;
  /** Ids of styles. */
  styles?: Array<string> | undefined;
  /** Ids of suggestions, one of a category at most. */
  suggestions?: Array<string> | undefined;
  /** The client's own notes, given back on the generation and in events. */
  metadata?: Record<string, string> | undefined;
};

/** The image request, to be priced. */
export type EstimateImageRequest = {
  kind: 'image';
  /** Id of a model; the default of the suite when left out. */
  model?: string | undefined;
  /** For characters: one of the model's `base_models`. */
  base_model?: string | undefined;
  /** Where the outputs go; a project named API when left out. */
  project_id?: string | undefined;
  /** What to make. Most models require it. */
  prompt?: string | undefined;
  /** Ids of styles. */
  styles?: Array<string> | undefined;
  /** Ids of suggestions, one of a category at most. */
  suggestions?: Array<string> | undefined;
  /** Settings of the model alone, by the keys of its `parameters.options`. */
  options?: Record<string, string | number | boolean> | undefined;
  /** The client's own notes, given back on the generation and in events. */
  metadata?: Record<string, string> | undefined;
  /** One that the model offers. */
  aspect_ratio?: string | undefined;
  /** Within the model's `parameters.cfg`. */
  cfg?: number | undefined;
  /** Within the model's `parameters.weight`. */
  weight?: number | undefined;
  /** Within the model's `parameters.clip_skip`. */
  clip_skip?: number | undefined;
  /** Where the model lets one choose. */
  sampler?: string | undefined;
  /** Pictures to go by, as many as the model takes. */
  reference_images?: Array<string> | undefined;
};

/** The body of a create, and which create is meant. */
export type EstimateRequest = EstimateImageRequest | EstimateEditRequest | EstimateVideoRequest | EstimateExtendRequest;

/** The video request, to be priced. */
export type EstimateVideoRequest = {
  kind: 'video';
  /** Id of a model; the default of the suite when left out. */
  model?: string | undefined;
  /** For characters: one of the model's `base_models`. */
  base_model?: string | undefined;
  /** Where the outputs go; a project named API when left out. */
  project_id?: string | undefined;
  /** What to make. Most models require it. */
  prompt?: string | undefined;
  /** Ids of styles. */
  styles?: Array<string> | undefined;
  /** Ids of suggestions, one of a category at most. */
  suggestions?: Array<string> | undefined;
  /** Settings of the model alone, by the keys of its `parameters.options`. */
  options?: Record<string, string | number | boolean> | undefined;
  /** The client's own notes, given back on the generation and in events. */
  metadata?: Record<string, string> | undefined;
  /** One that the model offers. */
  aspect_ratio?: string | undefined;
  /** Within the model's `parameters.cfg`. */
  cfg?: number | undefined;
  /** Pictures to go by, as many as the model takes. */
  reference_images?: Array<string> | undefined;
  /** Seconds; one of the durations of the model. 5 and "5" are the same. */
  duration?: string | number | undefined;
  /** First frame, where the model takes one. Id of an upload, https address, or id of an item in the library. */
  start_image?: string | undefined;
  /** Last frame, where the model takes one. Id of an upload, https address, or id of an item in the library. */
  end_image?: string | undefined;
  /** Reference audio, where the model takes any. */
  reference_audios?: Array<string> | undefined;
  /** A video to start from, where the model takes one. Id of an upload, https address, or id of an item in the library. */
  source_video?: string | undefined;
};

/** One page of a list. */
export type EventList = {
  object: 'list';
  /** The items of this page. */
  data: Array<GenerationCreatedEvent | GenerationRunningEvent | GenerationCanceledEvent | GenerationSucceededEvent | GenerationFailedEvent | UploadReadyEvent | UploadRejectedEvent>;
  /** Number of this page, from 1. */
  page: number;
  /** How many items a page holds at most. */
  limit: number;
  /** True when there is a page after this one. */
  has_more: boolean;
};

/** Continues a finished video of the library. */
export type ExtendVideoRequest = {
  /** Output id of a finished video generation. */
  video_id: string;
  /** How the video is to go on. */
  prompt?: string | undefined;
  /** Seconds; one of the durations of the model. 5 and "5" are the same. */
  duration?: string | number | undefined;
  /** One of the extend model's option `resolution`. */
  resolution?: string | undefined;
  /** Where the outputs go; a project named API when left out. */
  project_id?: string | undefined;
  /** Ids of styles. */
  styles?: Array<string> | undefined;
  /** Ids of suggestions, one of a category at most. */
  suggestions?: Array<string> | undefined;
  /** The client's own notes, given back on the generation and in events. */
  metadata?: Record<string, string> | undefined;
};

/** Says whether the item is a favorite now. */
export type FavoriteAsset = {
  /** Id of the item. */
  id: string;
  object: 'asset';
  /** As it is now. */
  favorite: boolean;
};

/** A frame of a video. */
export type Frame = {
  object: 'frame';
  /** A link to the image in the studio's storage. */
  url: string;
};

/** A job: what was asked for, how far it is, what came of it. */
export type Generation = {
  /** Starts with `gen_`. */
  id: string;
  object: 'generation';
  /** Which of the four creates made it. */
  kind: 'image' | 'image_edit' | 'video' | 'video_extend';
  /** How far it is; the last three are final. */
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled';
  /** Id of the model that renders it. */
  model: string;
  /** Null until a default project has been found for it. */
  project_id: string | null;
  /** What it costs. */
  cost: {
    /** Fixed when the generation is created. */
    credits: number | null;
  };
  /** How many outputs it will have. */
  expected_outputs: number;
  /** Empty until it has succeeded. */
  outputs: Array<Output>;
  /** Why it failed, or what is missing. */
  error: {
    /** A problem code, `partial_failure`, or why it could not be made. */
    code: string;
    /** A sentence for people. */
    message: string;
  } | null;
  /** The studio's id of the job. */
  prompt_id: string | null;
  /** As sent in the request. */
  metadata: Record<string, string>;
  /** When it was accepted. */
  created_at: string;
  /** When the studio took it. */
  submitted_at: string | null;
  /** When it reached its last status. */
  completed_at: string | null;
};

/** A generation was canceled while it waited. */
export type GenerationCanceledEvent = {
  /** Starts with `evt_`; the same on every delivery. */
  id: string;
  object: 'event';
  type: 'generation.canceled';
  /** When it happened. */
  created_at: string;
  data: Generation;
};

/** A generation was accepted and waits. */
export type GenerationCreatedEvent = {
  /** Starts with `evt_`; the same on every delivery. */
  id: string;
  object: 'event';
  type: 'generation.created';
  /** When it happened. */
  created_at: string;
  data: Generation;
};

/** A generation has failed; its `error` says why. */
export type GenerationFailedEvent = {
  /** Starts with `evt_`; the same on every delivery. */
  id: string;
  object: 'event';
  type: 'generation.failed';
  /** When it happened. */
  created_at: string;
  data: Generation;
};

/** One page of a list. */
export type GenerationList = {
  object: 'list';
  /** The items of this page. */
  data: Array<Generation>;
  /** Number of this page, from 1. */
  page: number;
  /** How many items a page holds at most. */
  limit: number;
  /** True when there is a page after this one. */
  has_more: boolean;
};

/** What a generation was asked for, and what it takes to make it again. */
export type GenerationRequest = {
  object: 'generation_request';
  /** Starts with `gen_`. */
  generation_id: string;
  /** Where it was sent, with POST: the path of one of the four creates. */
  path: string;
  /** As it was sent. A mask that came as data is named by the upload that it became. Null where its texts were erased. */
  body: Record<string, unknown> | null;
  /** That the outputs were drawn from, also where none was asked for; of several jobs the first. Null until it has succeeded, and where the engine takes none. */
  seed: number | null;
  /** Of the model, that made them. Null until it has succeeded. */
  model_version: number | null;
  /** A body that asks for the same: with what the model filled in, and the seed that was used. While the model has the same version, an engine that draws by its seed makes the same. Null where its texts were erased. */
  repeat: Record<string, unknown> | null;
};

/** The studio has taken a generation. */
export type GenerationRunningEvent = {
  /** Starts with `evt_`; the same on every delivery. */
  id: string;
  object: 'event';
  type: 'generation.running';
  /** When it happened. */
  created_at: string;
  data: Generation;
};

/** A generation has finished and its outputs can be fetched; some of them may be missing. */
export type GenerationSucceededEvent = {
  /** Starts with `evt_`; the same on every delivery. */
  id: string;
  object: 'event';
  type: 'generation.succeeded';
  /** When it happened. */
  created_at: string;
  data: Generation;
};

/** The API key that asks: what it may do and has left. */
export type Key = {
  object: 'key';
  /** Starts with `key_`; no secret. */
  id: string;
  /** As its person named it. */
  name: string;
  /** What it may do. */
  scopes: Array<'read' | 'generate' | 'uploads' | 'projects' | 'library'>;
  /** When it was made. */
  created_at: string;
  /** When it ends by itself. */
  expires_at: string | null;
  /** How often it may ask. */
  requests_per_minute: number;
  /** Null where it has none. */
  daily_budget: {
    /** What it may commit in a UTC day. */
    credits: number;
    /** What it has committed today; what failed or was canceled is not in it. */
    committed: number;
    /** What it may still commit today. */
    left: number;
    /** When the next day begins. */
    resets_at: string;
  } | null;
  /** Credits. A command line or an agent asks its person before it spends more at once; null: it need not ask. */
  confirm_above: number | null;
};

/** How many generations the account may run at once, and how many it does. */
export type Limits = {
  object: 'limits';
  /** All kinds together. */
  overall: {
    /** How many may run at once, all kinds together. */
    limit: number;
    /** How many run now, wherever they were started. */
    running: number;
  };
  /** Images. */
  image: {
    /** How many may run at once. */
    limit: number;
    /** How many run now, wherever they were started. */
    running: number;
    /** How many wait in this service. */
    queued: number;
  };
  /** Edits. */
  edit: {
    /** How many may run at once. */
    limit: number;
    /** How many run now, wherever they were started. */
    running: number;
    /** How many wait in this service. */
    queued: number;
  };
  /** Videos and their extensions. */
  video: {
    /** How many may run at once. */
    limit: number;
    /** How many run now, wherever they were started. */
    running: number;
    /** How many wait in this service. */
    queued: number;
  };
};

/** Something that renders, and what it takes. */
export type Model = {
  /** May hold slashes; encode it when it stands in a path. */
  id: string;
  object: 'model';
  /** What people call it. */
  name: string;
  /** The platform's, the account's own, or a character. */
  kind: 'system' | 'custom' | 'character';
  /** What the model can be used for. */
  suites: Array<'image' | 'edit' | 'video' | 'extend'>;
  /** Suites whose requests use it when they name no model. */
  default_for: Array<'image' | 'edit' | 'video' | 'extend'>;
  /** Can change a masked part of a picture. */
  inpaint: boolean;
  /** Made for adults; needs an age-verified account. */
  nsfw: boolean;
  /** What it is good at. */
  description: string | null;
  /** URL of a picture that shows its hand. */
  thumbnail: string | null;
  /** Makes nothing without a prompt. */
  prompt_required: boolean;
  /** Plans that include the model; empty where every plan does. */
  tiers: Array<string>;
  /** Outputs of one generation, by suite. */
  batch_size: Record<string, number>;
  parameters: ModelParameters;
  /** For characters: what they can be drawn with. */
  base_models?: Record<string, {
    /** Sent as `base_model`. */
    options: Array<string>;
    /** Used when a request says nothing. */
    default: string;
  }> | undefined;
  /** A part that others are put together with. */
  element?: boolean | undefined;
};

/** One page of a list. */
export type ModelList = {
  object: 'list';
  /** The items of this page. */
  data: Array<Model>;
  /** Number of this page, from 1. */
  page: number;
  /** How many items a page holds at most. */
  limit: number;
  /** True when there is a page after this one. */
  has_more: boolean;
};

/** What a request to this model may hold. */
export type ModelParameters = {
  /** Ratios and pixel sizes of pictures. */
  aspect_ratios: Array<{
    /** Sent as `aspect_ratio`. */
    ratio: string;
    /** Pixels. */
    width: number;
    /** Pixels. */
    height: number;
  }>;
  /** An edit can keep the ratio of its source. */
  same_ratio_supported: boolean;
  /** Ratios of videos. */
  video_aspect_ratios: Array<string>;
  /** Lengths of video that can be asked for. */
  durations: Array<{
    /** Seconds, to be sent as `duration`. */
    value: string;
    /** The same for people. */
    label: string;
  }>;
  /** How closely the prompt is followed. */
  cfg: {
    /** Smallest value. */
    min: number;
    /** Largest value. */
    max: number;
    /** Values are this far apart, from `min` on. */
    step: number;
    /** Used when a request says nothing. */
    default: number;
  } | null;
  /** How strongly the model's own look counts. */
  weight: {
    /** Smallest value. */
    min: number;
    /** Largest value. */
    max: number;
    /** Values are this far apart, from `min` on. */
    step: number;
    /** Used when a request says nothing. */
    default: number;
  } | null;
  /** How loosely the prompt is read. */
  clip_skip: {
    /** Smallest value. */
    min: number;
    /** Largest value. */
    max: number;
    /** Values are this far apart, from `min` on. */
    step: number;
    /** Used when a request says nothing. */
    default: number;
  } | null;
  /** Softness of the edge of a mask. */
  mask_blur: {
    /** Smallest value. */
    min: number;
    /** Largest value. */
    max: number;
    /** Values are this far apart, from `min` on. */
    step: number;
    /** Used when a request says nothing. */
    default: number;
  } | null;
  /** Sampler used by default; null when none can be chosen. */
  sampler: string | null;
  /** How many `reference_images` it takes. */
  max_reference_images: number;
  /** Which frames of a video it takes. */
  frames: {
    /** Takes a `start_image`. */
    start: boolean;
    /** Makes nothing without one. */
    start_required: boolean;
    /** Takes an `end_image`. */
    end: boolean;
    /** Makes nothing without one. */
    end_required: boolean;
  };
  /** What audio it takes; null when it takes none. */
  audio: {
    /** How many `reference_audios` it takes. */
    max_quantity: number;
    /** Seconds of each. */
    max_duration: number;
  } | null;
  /** What video it starts from; null when from none. */
  source_video: {
    /** Seconds. */
    max_duration: number;
    /** Pixels. */
    min_width: number | null;
    /** Pixels. */
    min_height: number | null;
    /** Megabytes. */
    max_filesize_mb: number | null;
  } | null;
  /** Settings of this model alone. */
  options: Array<{
    /** Name of the option in `options` of a request. */
    key: string;
    /** What people call it. */
    name: string;
    /** One of `values`, true or false, a number from `min` to `max`, or a text. */
    type: 'select' | 'toggle' | 'slider' | 'text';
    /** What a `select` offers. */
    values?: Array<{
      /** Sent as the value of the option. */
      value: string | number;
      /** The same for people. */
      label: string;
    }> | undefined;
    /** Smallest value of a `slider`. */
    min?: number | undefined;
    /** Largest value of a `slider`. */
    max?: number | undefined;
    /** How far apart the values of a `slider` are. */
    step?: number | undefined;
    /** Most characters of a `text`. */
    max_length?: number | undefined;
    /** Used when a request says nothing; 0 or 1 for a `toggle`. */
    default: string | number;
  }>;
};

/** One picture or video that a generation made. */
export type Output = {
  /** Also its id in the library. */
  id: string;
  /** What it is. */
  type: 'image' | 'video';
  /** A link to the studio's storage. */
  url: string;
  /** A link to a small picture of it. */
  thumb_url: string | null;
  /** Pixels. */
  width: number | null;
  /** Pixels. */
  height: number | null;
  /** Seconds. */
  duration: number | null;
  /** Only for adults. */
  nsfw: boolean;
  /** The studio's number for this part of the job. */
  request_id: number | null;
};

/** A person asked for a test delivery. */
export type PingEvent = {
  /** Starts with `evt_`; the same on every delivery. */
  id: string;
  object: 'event';
  type: 'ping';
  /** When it happened. */
  created_at: string;
  /** Nothing has happened but the test. */
  data: {
    /** A sentence for people. */
    message: string;
  };
};

/** A refusal, as RFC 9457 has it. */
export type Problem = {
  /** Link to what the code means. */
  type: string;
  /** Reason phrase of the status. */
  title: string;
  /** Status of the answer. */
  status: number;
  /** Stable; decide by this. */
  code: 'invalid_request' | 'unauthorized' | 'insufficient_credits' | 'forbidden' | 'budget_exceeded' | 'tier_required' | 'connection_expired' | 'not_found' | 'conflict' | 'unprocessable' | 'moderation_blocked' | 'account_suspended' | 'email_not_verified' | 'rate_limited' | 'queue_full' | 'geo_blocked' | 'internal_error' | 'upstream_error' | 'upstream_unavailable';
  /** What happened, for people. */
  detail: string;
  /** Starts with `req_`; the same as the header X-Request-Id. */
  request_id: string;
  /** One entry for each field that is wrong. */
  errors?: Array<{
    /** Path of the field: `options.steps`, `reference_images[2]`. */
    field: string;
    /** What is wrong with it. */
    message: string;
  }> | undefined;
};

/** How far a generation is, while it is on its way. Nothing is kept of it. */
export type Progress = {
  object: 'progress';
  /** Starts with `gen_`. */
  generation_id: string;
  /** What is being done. */
  stage: 'queued' | 'checking' | 'submitting' | 'waiting_for_engine' | 'loading_model' | 'rendering' | 'encoding' | 'storing' | 'done';
  /** How much of it is done, never less than before. Null where nobody knows. */
  fraction: number | null;
  /** The engine's step, of `steps`. */
  step: number | null;
  /** How many there are. */
  steps: number | null;
  /** Outputs that are finished. */
  outputs_done: number;
  /** Outputs that it will have. */
  outputs_expected: number;
  /** Null where it does not wait. */
  queue: {
    /** 1 is the next. Null where it is not counted. */
    position: number | null;
    /** How many wait there. */
    of: number | null;
    /** Why it waits. */
    reason: 'lane_full' | 'account_full' | 'fair_share' | 'engine_busy' | 'engine_down' | 'reference_processing' | 'studio_unreachable' | 'scheduled_retry';
  } | null;
  /** When an engine begins, by what was measured before. Null where that says nothing. */
  starts_in_seconds: {
    /** A fifth of generations like it took less. */
    low: number;
    /** A fifth of generations like it took more. */
    high: number;
  } | null;
  /** When it is done, by what was measured before. Null where that says nothing. */
  finishes_in_seconds: {
    /** A fifth of generations like it took less. */
    low: number;
    /** A fifth of generations like it took more. */
    high: number;
  } | null;
  /** When this was so. */
  at: string;
};

/** A folder for generated items. */
export type Project = {
  /** Sent as `project_id` of a request. */
  id: string;
  object: 'project';
  /** What people call it. */
  title: string;
  /** When it was last renamed or added to. */
  updated_at: string | null;
  /** The newest item in it, or null while it is empty. */
  last_generation: {
    /** `image` or `video`. */
    type: string | null;
    /** A link to it. */
    url: string | null;
    /** A link to a small picture of it. */
    thumb_url: string | null;
    /** Only for adults. */
    nsfw: boolean;
  } | null;
};

/** One page of a list. */
export type ProjectList = {
  object: 'list';
  /** The items of this page. */
  data: Array<Project>;
  /** Number of this page, from 1. */
  page: number;
  /** How many items a page holds at most. */
  limit: number;
  /** True when there is a page after this one. */
  has_more: boolean;
};

/** What the account stores, and may store. */
export type Storage = {
  object: 'storage';
  /** Bytes that the account stores: uploads and outputs together. */
  used_bytes: number;
  /** Bytes that it may store. What was accepted before is stored beyond it all the same. */
  limit_bytes: number;
  /** Of these, files that were sent or imported. */
  uploads_bytes: number;
  /** Of these, items of the library and frames. Thumbnails are not counted. */
  outputs_bytes: number;
};

/** A look that can be laid over a generation. */
export type Style = {
  /** Sent in `styles` of a request. */
  id: string;
  object: 'style';
  /** What people call it. */
  name: string;
  /** What it can be applied to. */
  type: 'image' | 'video';
  /** True for the account's own styles. */
  custom: boolean;
};

/** One page of a list. */
export type StyleList = {
  object: 'list';
  /** The items of this page. */
  data: Array<Style>;
  /** Number of this page, from 1. */
  page: number;
  /** How many items a page holds at most. */
  limit: number;
  /** True when there is a page after this one. */
  has_more: boolean;
};

/** A building block for prompts. */
export type Suggestion = {
  /** Sent in `suggestions` of a request. */
  id: string;
  object: 'suggestion';
  /** What people call it. */
  name: string;
  /** A request takes one suggestion of each category. */
  category: string | null;
  /** Id of the category. */
  category_id: string | null;
  /** Where it can be used. */
  suites: Array<'image' | 'edit' | 'video' | 'extend'>;
  /** Length of the media that shows it, in seconds. */
  media_seconds: number;
};

/** One page of a list. */
export type SuggestionList = {
  object: 'list';
  /** The items of this page. */
  data: Array<Suggestion>;
  /** Number of this page, from 1. */
  page: number;
  /** How many items a page holds at most. */
  limit: number;
  /** True when there is a page after this one. */
  has_more: boolean;
};

/** What is to be so from now on. */
export type UpdateAssetRequest = {
  /** Whether the item is to be a favorite. */
  favorite: boolean;
};

/** A new title. */
export type UpdateProjectRequest = {
  /** Letters, digits and white space. */
  title: string;
};

/** A file of the client, to be used in generations. */
export type Upload = {
  /** Starts with `upl_`; can be sent wherever a reference is taken. */
  id: string;
  object: 'upload';
  status: 'processing' | 'ready' | 'rejected';
  type: 'image' | 'video' | 'audio';
  /** A link to the studio's storage. */
  url: string;
  /** As it was sent; nothing is decided by it. */
  file_name: string;
  /** Detected from the bytes, not from the name. */
  content_type: string;
  /** Bytes of the file. */
  size_bytes: number;
  /** Pixels. */
  width: number | null;
  /** Pixels. */
  height: number | null;
  /** Why it was rejected. */
  error: string | null;
  /** When it arrived. */
  created_at: string;
};

/** Sends a file. */
export type UploadForm = {
  /** JPEG, PNG, MP4, MOV, or audio where the plan has it. */
  file: Blob;
  /** Project that it belongs to. */
  project_id?: string | undefined;
};

/** An upload has passed its checks and can be used. */
export type UploadReadyEvent = {
  /** Starts with `evt_`; the same on every delivery. */
  id: string;
  object: 'event';
  type: 'upload.ready';
  /** When it happened. */
  created_at: string;
  data: Upload;
};

/** An upload was refused; its `error` says why. */
export type UploadRejectedEvent = {
  /** Starts with `evt_`; the same on every delivery. */
  id: string;
  object: 'event';
  type: 'upload.rejected';
  /** When it happened. */
  created_at: string;
  data: Upload;
};

/** List models */
export type ListModelsQuery = {
  /** Only models that can be used for this. */
  suite?: 'image' | 'edit' | 'video' | 'extend' | undefined;
  /** Only models of this kind. */
  kind?: 'system' | 'custom' | 'character' | undefined;
  /** Only models whose name or description holds this. */
  search?: string | undefined;
  /** Page to show, from 1. */
  page?: number | undefined;
  /** Items on a page. Without `page` and `limit` one page holds everything. */
  limit?: number | undefined;
};

/** List styles */
export type ListStylesQuery = {
  /** Page to show, from 1. */
  page?: number | undefined;
  /** Items on a page. Without `page` and `limit` one page holds everything. */
  limit?: number | undefined;
};

/** List suggestions */
export type ListSuggestionsQuery = {
  /** Only suggestions for this. */
  suite?: 'image' | 'edit' | 'video' | undefined;
  /** Page to show, from 1. */
  page?: number | undefined;
  /** Items on a page. Without `page` and `limit` one page holds everything. */
  limit?: number | undefined;
};

/** List projects */
export type ListProjectsQuery = {
  /** Only projects whose title holds this. */
  search?: string | undefined;
  /** Page to show, from 1. */
  page?: number | undefined;
  /** Items on a page. */
  limit?: number | undefined;
};

/** List the library */
export type ListAssetsQuery = {
  /** Only items of this type. */
  type?: 'image' | 'video' | undefined;
  /** Only items of this project. */
  project_id?: string | undefined;
  /** Only items whose prompt holds this. */
  search?: string | undefined;
  /** `true` shows favorites only, `false` shows the others. */
  favorites?: 'true' | 'false' | undefined;
  /** Page to show, from 1. */
  page?: number | undefined;
  /** Items on a page. */
  limit?: number | undefined;
};

/** Show a generation */
export type GetGenerationQuery = {
  /** Seconds to hold the answer back until the generation has finished. Counts as one request. */
  wait?: number | undefined;
};

/** Watch a generation */
export type WatchGenerationQuery = {
  /** Whether previews are told by a link, come whole, or not at all. By a link unless said otherwise. */
  preview?: 'link' | 'inline' | 'none' | undefined;
};

/** Show a preview */
export type GetPreviewQuery = {
  /** A revision, so that the address changes with the picture. The answer is the newest in any case. */
  r?: string | undefined;
};

/** List generations */
export type ListGenerationsQuery = {
  /** Only generations in this status. */
  status?: 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled' | undefined;
  /** Only generations of this kind. */
  kind?: 'image' | 'image_edit' | 'video' | 'video_extend' | undefined;
  /** Page to show, from 1. */
  page?: number | undefined;
  /** Items on a page. */
  limit?: number | undefined;
};

/** Follow the events */
export type ListEventsQuery = {
  /** Only events of these types, with commas between them. */
  types?: string | undefined;
  /** Id of an event: what came after it. The header `Last-Event-ID` goes before it. */
  after?: string | undefined;
  /** Page to show, from 1. */
  page?: number | undefined;
  /** Items on a page. */
  limit?: number | undefined;
};

/** What the creates of images, edits and videos hold in their fields. */
export const createFields = {
  model: 'text',
  base_model: 'text',
  project_id: 'text',
  prompt: 'text',
  styles: 'list',
  suggestions: 'list',
  options: 'map',
  metadata: 'map',
  aspect_ratio: 'text',
  cfg: 'number',
  weight: 'number',
  clip_skip: 'number',
  sampler: 'text',
  reference_images: 'list',
  image: 'text',
  mode: 'text',
  strength: 'number',
  mask: 'text',
  inpaint_type: 'text',
  mask_blur: 'number',
  duration: 'text',
  start_image: 'text',
  end_image: 'text',
  reference_audios: 'list',
  source_video: 'text',
} as const;

/** The numbers that a request may set where its model has a range for them. */
export const rangeNames = [
  'cfg',
  'weight',
  'clip_skip',
  'mask_blur',
] as const;
