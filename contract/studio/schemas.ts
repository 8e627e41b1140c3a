import { Type, type Static, type TSchema } from 'typebox';
import { refusalCodes } from './errors.ts';
import { StorageUse } from './storage.ts';

// What the studio and the service say to each other. The service checks every answer against these (a studio may
// be broken or hostile), so each text and each list has a bound. Amounts are whole numbers of 1/1000 credit.

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const oneOf = <const T extends readonly string[]>(values: T) =>
  Type.Union(values.map((value) => Type.Literal(value))) as unknown as ReturnType<
    typeof Type.Unsafe<T[number]>
  >;

const id = Type.String({ minLength: 1, maxLength: 200 });
const shortText = Type.String({ maxLength: 500 });
const longText = Type.String({ maxLength: 5_000 });
const link = Type.String({ minLength: 1, maxLength: 4_096 });
/** RFC 3339: clients get it as it is, so it must be a time. */
const time = Type.String({
  maxLength: 35,
  pattern: '^\\d{4}-[01]\\d-[0-3]\\dT[0-2]\\d:[0-5]\\d:[0-5]\\d(\\.\\d{1,9})?(Z|[+-][0-2]\\d:[0-5]\\d)$',
});
const millicredits = Type.Integer({ minimum: 0, maximum: 1e15 });
const count = Type.Integer({ minimum: 0, maximum: 1e9 });
const sequence = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const suites = ['image', 'edit', 'video', 'extend'] as const;
export type Suite = (typeof suites)[number];
/** Where concurrency is counted: extensions count as videos. */
export const lanes = ['image', 'edit', 'video'] as const;
export type Lane = (typeof lanes)[number];
export const kinds = ['image', 'image_edit', 'video', 'video_extend'] as const;
export type Kind = (typeof kinds)[number];

export const Metadata = Type.Object({
  studio_id: id,
  issuer: link,
  version: shortText,
  /** Worker processes that were heard of within the last seconds. A studio that does not tell it leaves it out. */
  workers_alive: Type.Optional(Type.Integer({ minimum: 0 })),
});

export const accountStates = ['ok', 'suspended', 'email_not_verified', 'region_blocked'] as const;
export const StudioAccount = Type.Object({
  id,
  email: nullable(shortText),
  name: nullable(shortText),
  username: nullable(shortText),
  tier: nullable(Type.Object({ key: nullable(shortText), name: nullable(shortText) })),
  organization: Type.Boolean(),
  age_verified: Type.Boolean(),
  state: oneOf(accountStates),
  capabilities: Type.Object({
    audio_upload: Type.Boolean(),
    video_upload: Type.Boolean(),
    uploads: Type.Boolean(),
    custom_models: Type.Boolean(),
    character_creation_modes: Type.Array(shortText, { maxItems: 20 }),
  }),
  catalog_version: id,
});
export type StudioAccount = Static<typeof StudioAccount>;

export const StudioBalance = Type.Object({
  monthly_millicredits: millicredits,
  lifetime_millicredits: millicredits,
  allowance_millicredits: nullable(millicredits),
  next_refill: nullable(time),
  /** The ledger's entries up to this one are in the amounts above. */
  ledger_seq: sequence,
  catalog_version: id,
  plan: nullable(shortText),
});
export type StudioBalance = Static<typeof StudioBalance>;

const laneLimit = Type.Object({ limit: count, running: count, running_elsewhere: count });
export const StudioLimits = Type.Object({
  overall: laneLimit,
  image: laneLimit,
  edit: laneLimit,
  video: laneLimit,
});
export type StudioLimits = Static<typeof StudioLimits>;

const range = nullable(
  Type.Object({ min: Type.Number(), max: Type.Number(), step: Type.Number(), default: Type.Number() }),
);
export const ModelOption = Type.Object({
  key: shortText,
  name: shortText,
  type: oneOf(['select', 'toggle', 'slider'] as const),
  values: Type.Optional(Type.Array(Type.Object({ value: shortText, label: shortText }), { maxItems: 100 })),
  min: Type.Optional(Type.Number()),
  max: Type.Optional(Type.Number()),
  step: Type.Optional(Type.Number()),
  default: Type.Union([Type.String({ maxLength: 500 }), Type.Number()]),
});
export type ModelOption = Static<typeof ModelOption>;

export const StudioModel = Type.Object({
  id,
  name: shortText,
  kind: oneOf(['system', 'custom', 'character'] as const),
  suites: Type.Array(oneOf(suites), { maxItems: 4 }),
  default_for: Type.Array(oneOf(suites), { maxItems: 4 }),
  inpaint: Type.Boolean(),
  nsfw: Type.Boolean(),
  description: nullable(longText),
  thumbnail: nullable(link),
  prompt_required: Type.Boolean(),
  /** Plans that include the model; empty means every plan. */
  tiers: Type.Array(shortText, { maxItems: 20 }),
  batch_size: Type.Record(Type.String(), Type.Integer({ minimum: 1, maximum: 16 })),
  parameters: Type.Object({
    aspect_ratios: Type.Array(Type.Object({ ratio: shortText, width: count, height: count }), {
      maxItems: 50,
    }),
    same_ratio_supported: Type.Boolean(),
    video_aspect_ratios: Type.Array(shortText, { maxItems: 50 }),
    durations: Type.Array(Type.Object({ value: shortText, label: shortText }), { maxItems: 50 }),
    cfg: range,
    weight: range,
    clip_skip: range,
    mask_blur: range,
    /** The samplers on offer, joined by commas, the first being the default; null where there is no choice. */
    sampler: nullable(longText),
    max_reference_images: count,
    frames: Type.Object({
      start: Type.Boolean(),
      start_required: Type.Boolean(),
      end: Type.Boolean(),
      end_required: Type.Boolean(),
    }),
    audio: nullable(Type.Object({ max_quantity: count, max_duration: Type.Number() })),
    source_video: nullable(
      Type.Object({
        max_duration: Type.Number(),
        min_width: nullable(Type.Number()),
        min_height: nullable(Type.Number()),
        max_filesize_mb: nullable(Type.Number()),
      }),
    ),
    options: Type.Array(ModelOption, { maxItems: 50 }),
  }),
  base_models: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Object({ options: Type.Array(shortText, { maxItems: 50 }), default: shortText }),
    ),
  ),
  element: Type.Optional(Type.Boolean()),
  price: Type.Object({
    base_millicredits: millicredits,
    per_second_millicredits: Type.Optional(millicredits),
    per_reference_millicredits: Type.Optional(millicredits),
    options: Type.Optional(Type.Record(Type.String(), Type.Record(Type.String(), millicredits))),
  }),
});
export type StudioModel = Static<typeof StudioModel>;

export const StudioStyle = Type.Object({
  id,
  name: shortText,
  type: oneOf(['image', 'video'] as const),
  custom: Type.Boolean(),
});
export type StudioStyle = Static<typeof StudioStyle>;
export const StudioSuggestion = Type.Object({
  id,
  name: shortText,
  category: nullable(shortText),
  category_id: nullable(shortText),
  suites: Type.Array(oneOf(suites), { maxItems: 4 }),
  media_seconds: Type.Number({ minimum: 0 }),
});
export type StudioSuggestion = Static<typeof StudioSuggestion>;

/** Every model with its plans and price, whatever the asking account's plan: what is out of reach can be judged too. */
export const Catalog = Type.Object({
  version: id,
  plan: nullable(shortText),
  models: Type.Array(StudioModel, { maxItems: 2_000 }),
  styles: Type.Array(StudioStyle, { maxItems: 2_000 }),
  suggestions: Type.Array(StudioSuggestion, { maxItems: 5_000 }),
});
export type Catalog = Static<typeof Catalog>;

/** One generation as the studio understands it: every default already filled in by the service. */
export const RenderRequest = Type.Object({
  kind: oneOf(kinds),
  model: id,
  base_model: Type.Optional(id),
  /** Null: the account's own project for work that names none. */
  project_id: nullable(id),
  prompt: Type.String({ maxLength: 20_000 }),
  styles: Type.Array(id, { maxItems: 20 }),
  suggestions: Type.Array(id, { maxItems: 50 }),
  options: Type.Record(
    Type.String(),
    Type.Union([Type.String({ maxLength: 2_048 }), Type.Number(), Type.Boolean()]),
  ),
  aspect_ratio: Type.Optional(shortText),
  cfg: Type.Optional(Type.Number()),
  weight: Type.Optional(Type.Number()),
  clip_skip: Type.Optional(Type.Integer()),
  sampler: Type.Optional(shortText),
  // A reference is the id of one of the account's library items or the token of one of its uploads.
  reference_images: Type.Array(id, { maxItems: 50 }),
  // Edits: the source, and for an inpaint what of it may change.
  image: Type.Optional(id),
  mode: Type.Optional(oneOf(['transform', 'inpaint'] as const)),
  strength: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  mask: Type.Optional(id),
  inpaint_type: Type.Optional(oneOf(['refine', 'fill'] as const)),
  mask_blur: Type.Optional(Type.Number()),
  // Videos.
  duration_seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 3_600 })),
  start_image: Type.Optional(id),
  end_image: Type.Optional(id),
  reference_audios: Type.Optional(Type.Array(id, { maxItems: 20 })),
  source_video: Type.Optional(id),
  // Extensions: a library item of type video, and one of the values of the model's option `resolution`.
  video_id: Type.Optional(id),
  resolution: Type.Optional(shortText),
});
export type RenderRequest = Static<typeof RenderRequest>;

export const QuotesRequest = Type.Object(
  {
    quotes: Type.Array(
      Type.Object({
        request: RenderRequest,
        moderate: Type.Boolean(),
        /** Tokens of uploads that the request names and that will be there, and ready, before it is submitted. */
        coming: Type.Optional(Type.Array(id, { maxItems: 50 })),
      }),
      { minItems: 1, maxItems: 64 },
    ),
  },
  { additionalProperties: false },
);
export type QuotesRequest = Static<typeof QuotesRequest>;

export const Refusal = Type.Object({
  code: oneOf(refusalCodes),
  message: longText,
  field: Type.Optional(shortText),
  /** With `storage_full`. */
  storage: Type.Optional(StorageUse),
});
export type Refusal = Static<typeof Refusal>;

export const QuoteResult = Type.Object({
  account_state: oneOf(accountStates),
  /** Paths (as in the request: `project_id`, `reference_images[1]`) of ids that the account does not have. */
  unknown_ids: Type.Array(shortText, { maxItems: 100 }),
  /** Fields that name something which cannot serve there: a video as a picture, a mask of another shape. */
  invalid_fields: Type.Optional(
    Type.Array(Type.Object({ field: shortText, message: longText }), { maxItems: 100 }),
  ),
  cost_millicredits: millicredits,
  outputs: Type.Integer({ minimum: 0, maximum: 64 }),
  balance: StudioBalance,
  refusal: nullable(Refusal),
  /** Opaque; the studio honours it for 25 hours at submit. Null where it refuses or an id is unknown. */
  quote: nullable(Type.String({ maxLength: 4_096 })),
});
export type QuoteResult = Static<typeof QuoteResult>;
export const QuotesAnswer = Type.Object({ results: Type.Array(QuoteResult, { maxItems: 64 }) });

export const renderStatuses = ['queued', 'running', 'succeeded', 'failed'] as const;
export const RenderOutput = Type.Object({
  /** The library item's id. */
  id,
  type: oneOf(['image', 'video'] as const),
  url: link,
  thumb_url: nullable(link),
  width: nullable(Type.Number()),
  height: nullable(Type.Number()),
  duration: nullable(Type.Number()),
  nsfw: Type.Boolean(),
  request_id: nullable(Type.Integer()),
});
export const Render = Type.Object({
  /** The client's own name for it: the service sends its generation id. */
  token: id,
  render_id: id,
  kind: oneOf(kinds),
  /** Queued and running both hold a place in the account's limits. */
  status: oneOf(renderStatuses),
  prompt_id: id,
  project_id: id,
  cost_millicredits: millicredits,
  /** The ledger entry of the charge. */
  ledger_seq: sequence,
  expected_outputs: Type.Integer({ minimum: 0, maximum: 64 }),
  outputs: Type.Array(RenderOutput, { maxItems: 64 }),
  /** `partial_failure` beside status succeeded; else only with status failed. Failed renders are refunded. */
  error: nullable(Type.Object({ code: shortText, message: longText })),
  accepted_at: time,
  completed_at: nullable(time),
});
export type Render = Static<typeof Render>;

export const SubmitRequest = Type.Object({
  quote: Type.String({ maxLength: 4_096 }),
  request: RenderRequest,
});
/** The same token gets the same answer again; only `busy` is not remembered. */
export const SubmitAnswer = Type.Union([
  Type.Object({ outcome: Type.Literal('accepted'), render: Render }),
  Type.Object({
    outcome: Type.Literal('busy'),
    retry_after: Type.Integer({ minimum: 0, maximum: 3_600 }),
    limits: StudioLimits,
  }),
  Type.Object({ outcome: Type.Literal('refused'), refusal: Refusal }),
  /** The token was barred: it will never be rendered. */
  Type.Object({ outcome: Type.Literal('barred') }),
]);
export type SubmitAnswer = Static<typeof SubmitAnswer>;

export const LookupRequest = Type.Object({ tokens: Type.Array(id, { minItems: 1, maxItems: 200 }) });
/** Tokens that the account never submitted are left out. */
export const LookupAnswer = Type.Object({
  renders: Type.Array(Render, { maxItems: 200 }),
  ledger_seq: sequence,
});

/** After `barred` no submit of that token will ever be accepted; `known` hands out the render instead. */
export const BarAnswer = Type.Union([
  Type.Object({ outcome: Type.Literal('barred') }),
  Type.Object({ outcome: Type.Literal('known'), render: Render }),
]);

export const StudioProject = Type.Object({
  id,
  title: shortText,
  updated_at: nullable(time),
  last_generation: nullable(
    Type.Object({
      type: nullable(shortText),
      url: nullable(link),
      thumb_url: nullable(link),
      nsfw: Type.Boolean(),
    }),
  ),
});
export type StudioProject = Static<typeof StudioProject>;
export const ProjectsQuery = Type.Object({
  // An offset of 1,000,000 is allowed, which a page of one item reaches on page 1,000,001.
  page: Type.Integer({ minimum: 1, maximum: 1_000_001 }),
  limit: Type.Integer({ minimum: 1, maximum: 100 }),
  search: Type.Optional(Type.String({ maxLength: 100 })),
});
export const ProjectsAnswer = Type.Object({
  projects: Type.Array(StudioProject, { maxItems: 100 }),
  has_more: Type.Boolean(),
});
export const ProjectTitle = Type.Object({ title: Type.String({ minLength: 2, maxLength: 50 }) });

export const uploadTypes = ['image', 'video', 'audio'] as const;
export const uploadStatuses = ['processing', 'ready', 'rejected'] as const;
export const StudioUpload = Type.Object({
  /** The client's own name for it: the service sends its upload's id. */
  token: id,
  type: oneOf(uploadTypes),
  status: oneOf(uploadStatuses),
  url: link,
  file_name: shortText,
  /** Judged by the bytes. */
  content_type: shortText,
  size_bytes: Type.Integer({ minimum: 0, maximum: 1e12 }),
  /** Pixels, as a viewer shows it. */
  width: nullable(Type.Number()),
  height: nullable(Type.Number()),
  duration_seconds: nullable(Type.Number()),
  project_id: nullable(id),
  /** Why it was rejected. */
  error: nullable(longText),
  created_at: time,
});
export type StudioUpload = Static<typeof StudioUpload>;

/** The body of `storeUpload` is the file itself, `application/octet-stream`; what is said of it comes in the query. */
export const StoreUploadQuery = Type.Object({
  file_name: Type.Optional(Type.String({ maxLength: 255 })),
  project_id: Type.Optional(id),
  /** A mask or an import for one generation: kept out of what people see. */
  hidden: Type.Optional(Type.Boolean()),
  /** So many bytes come at least, where that is known before: what cannot fit is refused without reading them. */
  least_bytes: Type.Optional(Type.Integer({ minimum: 0, maximum: 1e12 })),
});

/** What is wrong with a file, as far as reading its head and its structure tells. */
export const fileFaults = [
  'empty',
  'unknown_type',
  'unsupported_type',
  'broken',
  'too_large',
  'too_many_pixels',
  'too_long',
  'no_video_track',
  'no_audio_track',
] as const;
export type FileFault = (typeof fileFaults)[number];

/** The same token gets the same answer again; refused files are not remembered. */
export const StoreUploadAnswer = Type.Union([
  Type.Object({ outcome: Type.Literal('stored'), upload: StudioUpload }),
  /** The file cannot be taken; the message is a sentence for whoever sent it. */
  Type.Object({
    outcome: Type.Literal('unusable'),
    reason: oneOf(fileFaults),
    message: longText,
  }),
  /** The account may not send this; `field` is `project_id` where the project is not the account's. */
  Type.Object({ outcome: Type.Literal('refused'), refusal: Refusal }),
]);
export type StoreUploadAnswer = Static<typeof StoreUploadAnswer>;

export const MoveUploadRequest = Type.Object({ project_id: id });
export const UploadsLookupAnswer = Type.Object({ uploads: Type.Array(StudioUpload, { maxItems: 200 }) });
export const DeletedAnswer = Type.Object({ deleted: Type.Literal(true) });

/** `frame` is an image that was taken from a video and saved. */
export const assetAddressTypes = ['image', 'video', 'frame'] as const;
export const StudioAsset = Type.Object({
  id,
  type: oneOf(['image', 'video'] as const),
  generation_type: nullable(shortText),
  url: nullable(link),
  thumb_url: nullable(link),
  width: nullable(Type.Number()),
  height: nullable(Type.Number()),
  duration: nullable(Type.Number()),
  aspect_ratio: nullable(shortText),
  nsfw: Type.Boolean(),
  favorite: Type.Boolean(),
  project_id: nullable(id),
  prompt_id: nullable(id),
  created_at: nullable(time),
});
export type StudioAsset = Static<typeof StudioAsset>;
export const AssetsQuery = Type.Object({
  page: Type.Integer({ minimum: 1, maximum: 1_000_001 }),
  limit: Type.Integer({ minimum: 1, maximum: 100 }),
  type: Type.Optional(oneOf(['image', 'video'] as const)),
  project_id: Type.Optional(Type.String({ maxLength: 200 })),
  /** Words of the prompt. */
  search: Type.Optional(Type.String({ maxLength: 100 })),
  favorites: Type.Optional(Type.Boolean()),
});
export const AssetsAnswer = Type.Object({
  assets: Type.Array(StudioAsset, { maxItems: 100 }),
  has_more: Type.Boolean(),
});
export const AssetAddress = Type.Object({ type: oneOf(assetAddressTypes), id });
export const FavoriteRequest = Type.Object({ favorite: Type.Boolean() });

export const FrameRequest = Type.Object({
  /** Seconds from the start; past the end it is the last frame. */
  time: Type.Union([Type.Number({ minimum: 0, maximum: 1e6 }), Type.Literal('last')]),
  /** Where the frame is to be kept as an item of the library; null: nowhere. */
  project_id: nullable(id),
});
export const FrameAnswer = Type.Object({ url: link, asset_id: nullable(id) });

export const StudioError = Type.Object({
  code: shortText,
  message: longText,
  retry_after: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400 })),
  /** With `storage_full`. */
  storage: Type.Optional(StorageUse),
});
